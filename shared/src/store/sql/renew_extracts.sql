-- Tasks whose page waits to be read and whose message is lost get a new number.
update tasks t
set release_no = t.release_no + 1, released_at = $4
from unnest($1::uuid[], $2::int4[], $3::timestamptz[]) as lost (id, release_no, heard_at)
where t.id = lost.id and t.release_no = lost.release_no and t.stage = 'extract' and t.status = 'processing'
  and greatest(t.released_at, t.lease_until) = lost.heard_at
returning t.id, t.release_no
