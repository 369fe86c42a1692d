-- New listings, in the order of their keys; one that another transaction made meanwhile is left to it.
insert into listings (id, kind, source, external_id, url, title, company, place, first_seen_at, last_seen_at,
    cluster_id, extractor_version, field_fingerprint, verification_status)
select n.id, n.kind::listing_kind, n.source, n.external_id, n.url, n.title, n.company, n.place, $10, $10, n.id, n.extractor_version,
    n.fingerprint, n.status::verification_status
from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[], $8::text[], $9::text[],
        $11::text[], $12::text[])
    as n (id, source, external_id, url, title, company, place, extractor_version, fingerprint, status, kind)
order by n.source collate "C", n.external_id collate "C"
on conflict (source, external_id) do nothing
returning id
