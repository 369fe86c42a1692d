-- One row for each change of a listing's state. A task says one thing once, however often it is delivered.
insert into evidence (listing_id, task_id, event, rule, verdict_code, http_status, final_url, raw_key,
    extractor_version, detail, at)
select e.listing_id, e.task_id, e.event::evidence_event, e.rule, e.verdict_code, e.http_status, e.final_url, e.raw_key,
    e.extractor_version, e.detail, $11
from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::int4[], $7::text[], $8::text[], $9::text[],
        $10::jsonb[]) with ordinality
    as e (listing_id, task_id, event, rule, verdict_code, http_status, final_url, raw_key, extractor_version, detail,
        place)
order by e.place
on conflict (listing_id, task_id, event) where task_id is not null do nothing
