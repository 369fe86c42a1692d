-- Sessions whose lease has ended, and their roles, if they still hold them. Two that run at once share the work; roles
-- are locked in the order of their ids, as everywhere.
with late as (
    select session_id from scrape_sessions where status = 'in_progress' and lease_expires_at <= $1
    order by session_id limit 1000 for update skip locked
), ended as (
    update scrape_sessions s set status = 'timeout', completed_at = $1, updated_at = $1, timed_out_at = $1,
        duration_seconds = extract(epoch from $1 - s.started_at)::integer,
        error_message = 'No jobs posted within ' || round(extract(epoch from s.lease_expires_at - s.updated_at) / 60)
            || ' minutes'
    from late where s.session_id = late.session_id
    returning s.session_id, s.role_id
), held as (
    select r.id from roles r where r.held_by in (select session_id from ended) order by r.id for no key update
), freed as (
    update roles r set queue_status = 'pending', held_by = null, pending_since = $1, updated_at = $1
    from ended e where r.id = e.role_id and r.held_by = e.session_id and r.id in (select id from held)
    returning r.id
)
select (select count(*) from ended)::integer, (select count(*) from freed)::integer
