-- Stores the states of sites that are still at the version they were read at; version 0 is a site that was
-- not there. Answers with the sites that were swapped.
with q as (
    select * from unnest($1::text[], $2::int8[], $3::jsonb[], $4::timestamptz[]) as q (site, version, state, expires_at)
),
swapped as (
    update gates g
    set state = q.state, version = g.version + 1, expires_at = q.expires_at
    from q
    where g.site = q.site and g.version = q.version and q.version > 0
    returning g.site
),
first as (
    insert into gates (site, state, version, expires_at)
    select site, state, 1, expires_at from q where version = 0 order by site
    on conflict do nothing
    returning site
)
select site from swapped union all select site from first
