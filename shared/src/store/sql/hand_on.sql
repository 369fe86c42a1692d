-- Tasks whose page is stored go on to be read; what we hold of the page is kept in the same breath. A task
-- that is no longer ours keeps nothing.
with q as (
    select * from unnest($1::uuid[], $2::int4[], $3::jsonb[], $4::timestamptz[]) as q (id, fence, learnt, at)
),
moved as (
    update tasks t
    set stage = 'extract', pipeline_state = t.pipeline_state || q.learnt, release_no = t.release_no + 1,
        released_at = q.at, lease_until = null, lease_owner = null
    from q
    where t.id = q.id and t.fence = q.fence and t.status = 'processing'
    returning t.id, t.release_no
),
kept as (
    insert into pages (url_key, site, status, final_url, content_type, etag, last_modified, content_sha256,
        raw_key, simhash, fetched_at)
    select distinct on (p.url_key) p.url_key, p.site, p.status, p.final_url, p.content_type, p.etag,
        p.last_modified, p.content_sha256, p.raw_key, p.simhash, p.fetched_at
    from unnest($1::uuid[], $5::text[], $6::text[], $7::int4[], $8::text[], $9::text[], $10::text[], $11::text[],
            $12::text[], $13::text[], $14::int8[], $15::timestamptz[])
        as p (id, url_key, site, status, final_url, content_type, etag, last_modified, content_sha256, raw_key,
            simhash, fetched_at)
    join moved using (id)
    order by p.url_key, p.fetched_at desc
    on conflict (url_key) do update set site = excluded.site, status = excluded.status,
        final_url = excluded.final_url, content_type = excluded.content_type, etag = excluded.etag,
        last_modified = excluded.last_modified, content_sha256 = excluded.content_sha256,
        raw_key = excluded.raw_key, simhash = excluded.simhash, fetched_at = excluded.fetched_at
    where pages.fetched_at <= excluded.fetched_at
)
select id, release_no from moved
