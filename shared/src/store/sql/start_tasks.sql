-- A slot at each site's gate, if the site is still at the version that was read (0: it was not there), and with
-- the slot the task, in the same breath. A slot whose task someone else has is wasted, never given twice.
with q as (
    select * from unnest($1::text[], $2::int8[], $3::jsonb[], $4::timestamptz[], $5::uuid[], $6::int4[],
        $7::timestamptz[], $8::timestamptz[]) as q (site, version, state, expires_at, id, release_no, at, lease_until)
),
swapped as (
    update gates g
    set state = q.state, version = g.version + 1, expires_at = q.expires_at
    from q
    where g.site = q.site and g.version = q.version and q.version > 0
    returning g.site
),
first as (
    insert into gates (site, state, version, expires_at)
    select site, state, 1, expires_at from q where version = 0 order by site
    on conflict do nothing
    returning site
),
granted as (
    select site from swapped union all select site from first
),
claimed as (
    update tasks t
    set status = 'processing',
        fence = t.fence + 1,
        crashes = t.crashes + case when t.lease_until is null then 0 else 1 end,
        lease_until = q.lease_until,
        lease_owner = $9,
        started_at = coalesce(t.started_at, q.at)
    from q join granted on granted.site = q.site
    where t.id = q.id
      and t.release_no = q.release_no
      and t.stage = 'fetch'
      and (t.status = 'pending' or (t.status = 'processing' and (t.lease_until is null or t.lease_until <= q.at)))
    returning t.site, t.fence, t.crashes
)
select granted.site, claimed.fence, claimed.crashes from granted left join claimed on claimed.site = granted.site
