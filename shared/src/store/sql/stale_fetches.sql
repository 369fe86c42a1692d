-- Sites that have tasks out and have been silent for longer than a message can be: their messages are
-- lost. A single task that has been out far too long is lost too, however busy its site is.
with out as (
    select id, site, greatest(released_at, lease_until) as heard_at
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
    where quiet.site is not null or out.heard_at < $2
    order by out.id
    limit 500
)
update tasks t
set released_at = null,
    -- Claimed and never heard of again: its worker crashed.
    crashes = t.crashes + case when t.status = 'processing' then 1 else 0 end,
    status = 'pending',
    lease_until = null,
    lease_owner = null
from lost
where t.id = lost.id and t.released_at is not null and t.stage = 'fetch'
  and greatest(t.released_at, t.lease_until) < $1
returning t.site
