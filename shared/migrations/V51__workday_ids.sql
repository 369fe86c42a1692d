-- Jobs of Workday were known by their requisition, which several places of one board may share; now by the path of their page.
-- A row of before gets the id that the next read of its board gives it. Without that the read would find it absent once, close
-- it, and make a second listing of the same job.
update listings as old
set external_id = told.path
from (
    select distinct on (source, path) id, source, path
    from (
        select id, source, last_seen_at,
            split_part(split_part(substring(url from position('/job/' in url)), '?', 1), '#', 1) as path
        from listings
        where source like 'workday:%' and external_id not like '/%' and position('/job/' in url) > 0
    ) as before
    order by source, path, last_seen_at desc, id
) as told
where old.id = told.id
    and not exists (
        select from listings as other where other.source = told.source and other.external_id = told.path
    );
