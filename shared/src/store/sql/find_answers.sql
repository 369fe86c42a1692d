-- For each wanted page the latest reading that is young enough and was made for the same workspace. A page that
-- was itself answered from storage carries the time of the fetch it goes back to. Who said how the page is to be shown
-- is answered only by one that was shown so.
select w.place, t.listing_id, t.result, t.meta, t.fetched_at
from unnest($1::int4[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::jsonb[])
    as w (place, workspace_id, url_key, target_type, since, shown)
cross join lateral (
    select f.listing_id, f.result, f.meta, f.fetched_at
    from (
        select t.listing_id, t.result, t.meta, t.ended_at,
            coalesce((t.pipeline_state ->> 'fetched_at')::timestamptz, t.ended_at) as fetched_at
        from tasks t
        where hashtextextended(t.url_key, 0) = hashtextextended(w.url_key, 0)
          and t.kind = 'page'
          and t.status = 'success'
          and t.ended_at >= w.since
          and t.url_key = w.url_key
          and t.workspace_id = w.workspace_id
          and t.target_type = w.target_type
          and t.result is not null
          and t.pipeline_state @> w.shown
    ) f
    where f.fetched_at >= w.since
    order by f.ended_at desc
    limit 1
) t
