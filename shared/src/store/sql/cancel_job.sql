-- Stops what has not begun; what is under way ends by itself. A job that is over stays as it is.
with open as (
    select id, status
    from tasks
    where (batch_id = $1 or (id = $1 and batch_id is null))
      and kind = 'page'
      and status in ('pending', 'processing')
    order by id
    for update
),
marked as (
    update batches set cancelled_at = coalesce(cancelled_at, $2) where id = $1 and exists (select 1 from open)
    returning id
),
alone as (
    -- A task that stands alone and is under way: only the wish is kept.
    update tasks t set cancelled_at = coalesce(t.cancelled_at, $2)
    from open
    where t.id = open.id and t.batch_id is null and open.status = 'processing'
    returning t.id
)
update tasks t
set status = 'cancelled', ended_at = $2, cancelled_at = $2, released_at = null, not_before = null
from open
where t.id = open.id and open.status = 'pending'
returning t.id, t.site
