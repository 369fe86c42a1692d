-- Tasks whose page waits to be read and whose message is lost: they get a new number and a new message.
with lost as (
    select id
    from tasks
    where released_at is not null
      and stage = 'extract'
      and status = 'processing'
      and greatest(released_at, lease_until) < $1
    order by id
    limit 500
    for update skip locked
)
update tasks t
set release_no = t.release_no + 1, released_at = $2
from lost
where t.id = lost.id
returning t.id, t.release_no
