with next as (
    select id from roles where queue_status = 'pending'
    order by priority desc, candidate_count desc, pending_since, id
    limit 1 for no key update skip locked
), held as (
    update roles r set queue_status = 'processing', held_by = $1, updated_at = $4
    from next where r.id = next.id
    returning r.id, r.name, r.candidate_count
), begun as (
    insert into scrape_sessions (session_id, scraper_key_id, scraper_name, role_id, role_name, started_at, updated_at,
        lease_expires_at)
    select $1, $2, $3, id, name, $4, $4, $5 from held
)
select h.id, h.name, h.candidate_count,
    coalesce((select array_agg(a.alias order by a.alias) from role_aliases a where a.role_id = h.id), '{}') as aliases
from held h
