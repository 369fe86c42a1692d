-- What was read from pages. An older reading never overwrites a newer one.
insert into readings (url_key, target_type, extractor_version, content_sha256, field_fingerprint, verdict, result,
    listing_id, read_at, block_fingerprint, simhash)
select r.url_key, r.target_type, r.extractor_version, r.content_sha256, r.field_fingerprint, r.verdict, r.result,
    r.listing_id, $9, r.block_fingerprint, p.simhash
from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::jsonb[], $8::uuid[], $10::text[])
    as r (url_key, target_type, extractor_version, content_sha256, field_fingerprint, verdict, result, listing_id,
        block_fingerprint)
left join pages p on p.url_key = r.url_key and p.content_sha256 = r.content_sha256
order by r.url_key, r.target_type
on conflict (url_key, target_type) do update set extractor_version = excluded.extractor_version,
    content_sha256 = excluded.content_sha256, field_fingerprint = excluded.field_fingerprint,
    verdict = excluded.verdict, result = excluded.result, listing_id = excluded.listing_id,
    read_at = excluded.read_at, block_fingerprint = excluded.block_fingerprint, simhash = excluded.simhash
where readings.read_at <= excluded.read_at
