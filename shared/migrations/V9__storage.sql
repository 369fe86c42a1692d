-- What is read from a page is text and JSON of a few kilobytes, stored several times a page. lz4 packs it for a
-- fraction of the work of the default; a Postgres built without it keeps the default.
do $$
begin
    alter table tasks alter column result set compression lz4;
    alter table tasks alter column pipeline_state set compression lz4;
    alter table readings alter column result set compression lz4;
    alter table jobs alter column description set compression lz4;
exception
    when feature_not_supported then null;
end
$$;
