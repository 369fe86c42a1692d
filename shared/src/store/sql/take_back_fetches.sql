-- Takes back releases whose message is lost, unless somebody was heard of meanwhile.
update tasks t
set released_at = null,
    -- Claimed and never heard of again: its worker crashed.
    crashes = t.crashes + case when t.status = 'processing' then 1 else 0 end,
    status = 'pending',
    lease_until = null,
    lease_owner = null,
    pipeline_state = t.pipeline_state - 'rendering'
from unnest($1::uuid[], $2::int4[], $3::timestamptz[]) as lost (id, release_no, heard_at)
where t.id = lost.id and t.release_no = lost.release_no and t.released_at is not null and t.stage = 'fetch'
  and greatest(t.released_at, t.lease_until) = lost.heard_at
returning t.site
