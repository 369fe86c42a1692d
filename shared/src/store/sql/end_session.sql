-- Ends a session and gives its role back, if it still holds it.
with ended as (
    update scrape_sessions set status = $3::text::session_status, error_message = $4, completed_at = $5, updated_at = $5,
        duration_seconds = extract(epoch from $5 - started_at)::integer
    where session_id = $1 and scraper_key_id = $2 and status = 'in_progress'
    returning session_id, role_id
), freed as (
    update roles r set queue_status = 'pending', held_by = null, pending_since = $5, updated_at = $5
    from ended e where r.id = e.role_id and r.held_by = e.session_id
    returning r.id
)
select (select count(*) from ended)::integer, (select count(*) from freed)::integer
