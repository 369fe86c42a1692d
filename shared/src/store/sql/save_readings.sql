-- What was read from pages. An older reading never overwrites a newer one.
insert into readings (url_key, target_type, extractor_version, content_sha256, field_fingerprint, verdict, result,
    listing_id, read_at)
select r.url_key, r.target_type, r.extractor_version, r.content_sha256, r.field_fingerprint, r.verdict, r.result,
    r.listing_id, $9
from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::jsonb[], $8::uuid[])
    as r (url_key, target_type, extractor_version, content_sha256, field_fingerprint, verdict, result, listing_id)
order by r.url_key, r.target_type
on conflict (url_key, target_type) do update set extractor_version = excluded.extractor_version,
    content_sha256 = excluded.content_sha256, field_fingerprint = excluded.field_fingerprint,
    verdict = excluded.verdict, result = excluded.result, listing_id = excluded.listing_id,
    read_at = excluded.read_at
where readings.read_at <= excluded.read_at
