-- Sites that have tasks out and have been silent for longer than a message can be: their messages are
-- lost. A single task that has been out far too long is lost too, however busy its site is; and so is one that a
-- renderer had until its lease ran out, because that message does not come again.
with out as (
    select id, site, greatest(released_at, lease_until) as heard_at,
        pipeline_state ? 'rendering' and status = 'processing' and lease_until < $3 as unrendered
    from tasks
    where released_at is not null and stage = 'fetch'
),
quiet as (
    select site from out group by site having max(heard_at) < $1
),
lost as (
    select out.id
    from out
    left join quiet using (site)
    where quiet.site is not null or out.heard_at < $2 or out.unrendered
    order by out.id
    limit 500
)
update tasks t
set released_at = null,
    -- Claimed and never heard of again: its worker crashed.
    crashes = t.crashes + case when t.status = 'processing' then 1 else 0 end,
    status = 'pending',
    lease_until = null,
    lease_owner = null,
    pipeline_state = t.pipeline_state - 'rendering'
from lost
where t.id = lost.id and t.released_at is not null and t.stage = 'fetch'
  and (
      greatest(t.released_at, t.lease_until) < $1
      or (t.pipeline_state ? 'rendering' and t.status = 'processing' and t.lease_until < $3)
  )
returning t.site
