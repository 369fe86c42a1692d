-- The tasks of one request, all of them or none: none when more callers would wait than may.
insert into tasks
    (id, batch_id, kind, status, stage, url, url_key, site, target_type, workspace_id, requested_fields, callback_url,
     batch_size, tracking_id, request_id, pipeline_state, listing_id, result, meta, created_at, started_at, ended_at)
select r.id, r.batch_id, 'page', r.status::task_status, r.stage::task_stage, r.url, r.url_key, r.site, r.target_type,
    r.workspace_id, r.requested_fields, r.callback_url, r.batch_size, r.tracking_id, r.request_id, r.pipeline_state,
    r.listing_id, r.result, r.meta, $4, r.ended_at, r.ended_at
from jsonb_to_recordset($1) as r (
    id uuid, batch_id uuid, status text, stage text, url text, url_key text, site text, target_type text,
    workspace_id text, requested_fields text[], callback_url text, batch_size integer, tracking_id uuid,
    request_id uuid, pipeline_state jsonb, listing_id uuid, result jsonb, meta jsonb, ended_at timestamptz
)
where $2::int8 = 0
   or (select count(*) from tasks where status = 'pending' and kind = 'page') + $2::int8 <= $3::int8
order by r.id
