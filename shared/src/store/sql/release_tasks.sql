-- The next tasks of one site, up to its window. The caller holds the site's lock.
with places as (
    select greatest($2::int8 - count(*), 0) as free
    from tasks
    where site = $1 and released_at is not null and stage = 'fetch'
),
picked as (
    select id
    from tasks
    where site = $1
      and status = 'pending'
      and released_at is null
      and (not_before is null or not_before <= $3)
    order by priority desc, batch_size, created_at, id
    limit (select free from places)
    for update skip locked
)
update tasks t
set release_no = t.release_no + 1, released_at = $3, not_before = null
from picked
where t.id = picked.id
returning t.id, t.release_no, t.priority, t.batch_size, t.created_at
