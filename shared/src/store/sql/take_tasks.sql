-- Takes tasks with a lease and tells what they are. A lease that ran out means that its holder crashed.
update tasks t
set status = 'processing',
    fence = t.fence + 1,
    crashes = t.crashes + case when t.lease_until is null then 0 else 1 end,
    lease_until = q.lease_until,
    lease_owner = $6,
    started_at = coalesce(t.started_at, q.at)
from unnest($1::uuid[], $2::int4[], $4::timestamptz[], $5::timestamptz[]) as q (id, release_no, at, lease_until)
where t.id = q.id
  and t.release_no = q.release_no
  and t.stage = $3::text::task_stage
  and (t.status = 'pending' or (t.status = 'processing' and (t.lease_until is null or t.lease_until <= q.at)))
returning t.id, t.kind::text, t.url, t.url_key, t.site, t.target_type, t.workspace_id, t.release_no, t.attempts,
    t.pipeline_state, t.request_id, t.started_at, t.batch_id, t.callback_url is not null as has_callback, t.fence,
    t.crashes
