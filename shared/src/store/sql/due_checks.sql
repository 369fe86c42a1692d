-- Nominated listings whose check is due. A page that belongs to no board is asked for as it was the last time.
with due as (
    select id
    from listings
    where is_active and verification_status = 'nominated' and (next_check_at is null or next_check_at <= $1)
    order by next_check_at nulls first, id
    limit $3
    for update skip locked
)
update listings l
set next_check_at = $2
from due
where l.id = due.id
returning l.source, l.external_id, l.url, l.title, (
    select t.url
    from evidence e
    join tasks t on t.id = e.task_id
    where e.listing_id = l.id and t.url_key = l.external_id
    order by e.id desc
    limit 1
) as fetched
