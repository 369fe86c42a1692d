-- Ends claimed tasks. One that is no longer ours is left alone, and not named in the answer.
update tasks t
set status = e.status::task_status, stage = 'save', released_at = null, lease_until = null, lease_owner = null,
    listing_id = e.listing_id, result = e.result, meta = e.meta, error_code = e.code, error = e.error, ended_at = $9,
    attempts = t.attempts + case when e.code is null then 0 else 1 end
from unnest($1::uuid[], $2::int4[], $3::text[], $4::uuid[], $5::jsonb[], $6::jsonb[], $7::text[], $8::text[])
    as e (id, fence, status, listing_id, result, meta, code, error)
where t.id = e.id and t.fence = e.fence and t.status = 'processing'
returning t.id
