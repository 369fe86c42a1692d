-- Takes the heads of these groups, as a receiver would: those that are visible, and not received too often.
with heads as (
    select m.id
    from unnest($2::text[]) as g (group_id)
    cross join lateral (
        select head.id from queue_messages head
        where head.queue = $1 and head.group_id = g.group_id
        order by head.queue, head.group_id, head.id
        limit 1
    ) h
    join queue_messages m on m.id = h.id
    where m.visible_at <= $3 and m.receive_count < $6::int4
    for update of m skip locked
)
update queue_messages m
set visible_at = $4, receipt = gen_random_uuid(), owner = $5, receive_count = m.receive_count + 1
from heads
where m.id = heads.id
returning m.id, m.queue, m.group_id, m.body, m.receive_count, m.receipt
