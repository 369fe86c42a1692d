-- When the jobs of a post are written: its session counts them and shows a sign of life, or ends with them; so does its
-- role; the matcher has work; and the answer is kept. The session is locked already, and comes before its role.
with told as (
    update scrape_sessions set jobs_found = $3, jobs_imported = $4, jobs_skipped = $5, updated_at = $6,
        lease_expires_at = greatest(lease_expires_at, $7),
        status = case when $8::boolean then 'completed' else status end,
        completed_at = case when $8 then $6::timestamptz else completed_at end,
        error_message = case when $8 then null else error_message end,
        duration_seconds = case when $8 then $9::integer else duration_seconds end
    where session_id = $1
), counted as (
    -- Also a role that waits again after this session was late is done; one that another session holds is that session's.
    update roles set total_jobs_scraped = total_jobs_scraped + $10::bigint, updated_at = $6,
        queue_status = case when $8 and (held_by = $1 or (held_by is null and queue_status = 'pending'))
            then 'completed' else queue_status end,
        last_scraped_at = case when $8 and (held_by = $1 or (held_by is null and queue_status = 'pending'))
            then $6::timestamptz else last_scraped_at end,
        held_by = case when $8 and held_by = $1 then null else held_by end
    where id = $2
), begun as (
    insert into match_runs (id, role_id, listing_ids, session_id, created_at, touched_at)
    select $11, $2, $12::uuid[], $1, $6, $6 where $2::integer is not null and cardinality($12) > 0
)
insert into session_posts (session_id, sha256, answer, at) values ($1, decode($13, 'hex'), $14, $6)
