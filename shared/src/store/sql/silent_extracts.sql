-- Tasks whose page waits to be read and that have not been heard of. The longest silent first.
select id, site, release_no, greatest(released_at, lease_until) as heard_at, false as unrendered
from tasks
where released_at is not null
  and stage = 'extract'
  and status = 'processing'
  and greatest(released_at, lease_until) < $1
order by heard_at, id
limit 500
