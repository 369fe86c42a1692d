-- Pages a caller waits for and that took too long. Those under way are out, the others are among the waiting:
-- both are small sets with an index of their own.
with late as (
    select id
    from tasks
    where id in (
        select id from tasks
        where released_at is not null and status = 'processing' and kind = 'page' and started_at <= $1
        union all
        select id from tasks
        where status = 'pending' and kind = 'page' and started_at <= $1
    )
    order by id
    limit 500
    for update skip locked
)
update tasks t
set status = 'failed', error_code = $3, error = $4, ended_at = $2, released_at = null, lease_until = null,
    lease_owner = null, not_before = null
from late
where t.id = late.id and t.status in ('pending', 'processing')
returning t.id, t.site, t.url, t.request_id, t.pipeline_state->>'proxy_used' as way
