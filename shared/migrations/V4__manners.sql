-- Manners: what robots.txt says of each origin, and the version of the policies.

create table robots (
    -- Scheme, host and port.
    origin text primary key,
    -- What asking for the file came to; see `domain/robots_access.rs`.
    access jsonb not null,
    read_at timestamptz not null,
    -- Not believed from then on.
    expires_at timestamptz not null
);

create index robots_by_age on robots (expires_at);

-- One row: the number that changes with any policy, so that a reader knows by one look whether his copy is true.
create table policy_book (
    single boolean primary key default true check (single),
    version bigint not null default 1,
    -- When the bundled policies were put in; they are put in once.
    seeded_at timestamptz
);

insert into policy_book default values;

create function policies_changed() returns trigger language plpgsql as $$
begin
    update policy_book set version = version + 1;
    return null;
end $$;

-- However they are changed, by the API or by hand.
create trigger policies_changed after insert or update or delete or truncate on policies
    for each statement execute function policies_changed();
