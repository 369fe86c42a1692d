-- Jobs of a scraper, each once and in the order of their key, made or refreshed with everything that follows from it.
with given as (
    select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[], $8::text[],
        $9::text[], $10::text[], $11::jsonb[], $12::date[], $13::jsonb[])
        as g(id, source, external_id, url, title, company, place, fingerprint, description, remote, salary, posted, skills)
), known as materialized (
    select l.id, l.is_active, l.field_fingerprint, g.source, g.external_id
    from given g join listings l on l.source = g.source and l.external_id = g.external_id
), saved as (
    insert into listings as l (id, kind, source, external_id, url, title, company, place, first_seen_at, last_seen_at,
        cluster_id, extractor_version, field_fingerprint, verification_status)
    select id, 'job', source, external_id, url, title, company, place, $14, $14, id, $15, fingerprint, 'verified'
    from given order by source, external_id
    on conflict (source, external_id) do update set
        url = excluded.url, title = excluded.title, company = coalesce(excluded.company, l.company),
        place = coalesce(excluded.place, l.place), extractor_version = excluded.extractor_version,
        field_fingerprint = excluded.field_fingerprint,
        last_seen_at = greatest(l.last_seen_at, $14), times_seen = l.times_seen + 1, verification_status = 'verified',
        is_active = true, closed_at = null, close_reason = null
    returning l.id, l.source, l.external_id, (xmax = 0) as fresh
), told as (
    insert into jobs as j (listing_id, description, remote, salary, date_posted, apply_url, provenance, skills)
    select s.id, g.description, g.remote, g.salary, g.posted, null, '{"fields": "scraper"}',
        array(select jsonb_array_elements_text(g.skills))
    from saved s join given g on g.source = s.source and g.external_id = s.external_id
    on conflict (listing_id) do update set description = coalesce(excluded.description, j.description),
        remote = coalesce(excluded.remote, j.remote), salary = coalesce(excluded.salary, j.salary),
        date_posted = coalesce(excluded.date_posted, j.date_posted), skills = excluded.skills
), proven as (
    insert into evidence (listing_id, event, rule, final_url, extractor_version, detail, at)
    select s.id,
        (case when s.fresh then 'created' when not k.is_active then 'reopened' else 'refreshed' end)::evidence_event,
        'scraper_import', g.url, $15,
        jsonb_build_object('session_id', $16::uuid, 'changed',
            k.field_fingerprint is not null and k.field_fingerprint <> g.fingerprint),
        $14
    from saved s join given g on g.source = s.source and g.external_id = s.external_id left join known k on k.id = s.id
), linked as (
    insert into role_jobs (role_id, listing_id, session_id, at)
    select $17, id, $16, $14 from saved where $17::integer is not null
    on conflict do nothing returning listing_id
)
select s.id, s.fresh, exists (select 1 from linked where linked.listing_id = s.id) as linked from saved s
