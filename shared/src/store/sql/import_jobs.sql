-- Jobs of a scraper, each once and in the order of their key, made or refreshed with everything that follows from it.
-- What a post leaves out stays as it was known; the fingerprint is that of the result.
with given as (
    select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[],
        $8::text[], $9::text[], $10::jsonb[], $11::date[], $12::jsonb[])
        as g(id, source, external_id, url, title, company, place, description, remote, salary, posted, skills)
), known as materialized (
    select l.id, l.is_active, l.field_fingerprint, g.source, g.external_id, l.company, l.place, j.description, j.remote,
        j.salary, j.date_posted, j.skills
    from given g join listings l on l.source = g.source and l.external_id = g.external_id
        left join jobs j on j.listing_id = l.id
), merged as materialized (
    select g.id, g.source, g.external_id, g.url, g.title, coalesce(g.company, k.company) as company,
        coalesce(g.place, k.place) as place, coalesce(g.description, k.description) as description,
        coalesce(g.remote, k.remote) as remote, coalesce(g.salary, k.salary) as salary,
        coalesce(g.posted, k.date_posted) as posted,
        case when g.skills = '[]' then coalesce(k.skills, '{}') else array(select jsonb_array_elements_text(g.skills)) end
            as skills
    from given g left join known k on k.source = g.source and k.external_id = g.external_id
), printed as materialized (
    select m.*, encode(sha256(convert_to(jsonb_build_array(m.title, m.company, m.place, m.description, m.remote, m.salary,
        m.posted, m.skills)::text, 'UTF8')), 'hex') as fingerprint
    from merged m
), saved as (
    insert into listings as l (id, kind, source, external_id, url, title, company, place, first_seen_at, last_seen_at,
        cluster_id, extractor_version, field_fingerprint, verification_status)
    select id, 'job', source, external_id, url, title, company, place, $13, $13, id, $14, fingerprint, 'verified'
    from printed order by source collate "C", external_id collate "C"
    on conflict (source, external_id) do update set
        url = excluded.url, title = excluded.title, company = coalesce(excluded.company, l.company),
        place = coalesce(excluded.place, l.place), extractor_version = excluded.extractor_version,
        field_fingerprint = excluded.field_fingerprint,
        last_seen_at = greatest(l.last_seen_at, $13), times_seen = l.times_seen + 1, verification_status = 'verified',
        is_active = true, closed_at = null, close_reason = null
    returning l.id, l.source, l.external_id, (xmax = 0) as fresh
), told as (
    insert into jobs as j (listing_id, description, remote, salary, date_posted, apply_url, provenance, skills)
    select s.id, p.description, p.remote, p.salary, p.posted, null, '{"fields": "scraper"}', p.skills
    from saved s join printed p on p.source = s.source and p.external_id = s.external_id
    on conflict (listing_id) do update set description = coalesce(excluded.description, j.description),
        remote = coalesce(excluded.remote, j.remote), salary = coalesce(excluded.salary, j.salary),
        date_posted = coalesce(excluded.date_posted, j.date_posted),
        skills = case when excluded.skills = '{}' then j.skills else excluded.skills end
), proven as (
    insert into evidence (listing_id, event, rule, final_url, extractor_version, detail, at)
    select s.id,
        (case when s.fresh then 'created' when not k.is_active then 'reopened' else 'refreshed' end)::evidence_event,
        'scraper_import', p.url, $14,
        jsonb_build_object('session_id', $15::uuid, 'changed',
            k.field_fingerprint is not null and k.field_fingerprint <> p.fingerprint),
        $13
    from saved s join printed p on p.source = s.source and p.external_id = s.external_id left join known k on k.id = s.id
), linked as (
    insert into role_jobs (role_id, listing_id, session_id, at)
    select $16, id, $15, $13 from saved where $16::integer is not null
    on conflict do nothing returning listing_id
)
select s.id, s.fresh, exists (select 1 from linked where linked.listing_id = s.id) as linked,
    k.field_fingerprint is distinct from p.fingerprint as changed
from saved s join printed p on p.source = s.source and p.external_id = s.external_id left join known k on k.id = s.id
