-- A process died. What killed it may be one of the tasks it held, or none: only a task that was part of every
-- death in a row stays under suspicion. It waits longer each time, so that it cannot take the house down as
-- fast as it comes up.
with held as (
    select id, case when last_death = $3::int8 - 1 then crashes else 0 end as crashes
    from tasks
    where lease_owner = $1 and lease_until > $2
)
update tasks t
set crashes = held.crashes,
    last_death = $3,
    lease_until = $2::timestamptz + (held.crashes + 1) * (held.crashes + 1) * interval '2 seconds',
    lease_owner = null
from held
where t.id = held.id
