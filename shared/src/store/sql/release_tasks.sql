-- The next tasks of some sites, up to the window of each. The caller holds the sites' locks.
with places as (
    select w.site, greatest(w.size - (
        select count(*) from tasks o where o.site = w.site and o.released_at is not null and o.stage = 'fetch'
    ), 0) as free
    from unnest($1::text[], $2::int8[]) as w (site, size)
),
picked as (
    select next.id
    from places
    cross join lateral (
        select id
        from tasks
        where site = places.site
          and status = 'pending'
          and released_at is null
          and (not_before is null or not_before <= $3)
        order by priority desc, batch_size, created_at, id
        limit places.free
        for update skip locked
    ) next
)
update tasks t
set release_no = t.release_no + 1, released_at = $3, not_before = null
from picked
where t.id = picked.id
returning t.id, t.site, t.release_no, t.priority, t.batch_size, t.created_at
