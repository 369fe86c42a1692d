-- Tasks that are out to be fetched and have not been heard of: all of a site that has been silent for longer than a
-- message can be; a single one that has been out far too long, however busy its site is; and one that a renderer
-- had until its lease ran out, because that message does not come again. The longest silent first.
with out as (
    select id, site, release_no, greatest(released_at, lease_until) as heard_at,
        pipeline_state ? 'rendering' and status = 'processing' and lease_until < $3 as unrendered
    from tasks
    where released_at is not null and stage = 'fetch'
),
quiet as (
    select site from out group by site having max(heard_at) < $1
)
select out.id, out.site, out.release_no, out.heard_at, out.unrendered
from out
left join quiet using (site)
where quiet.site is not null or out.heard_at < $2 or out.unrendered
order by out.heard_at, out.id
limit 500
