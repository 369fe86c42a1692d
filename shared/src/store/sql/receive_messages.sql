-- Takes the heads of groups that are visible. The head of a group is its oldest message; while it is in
-- flight or put off, the group is blocked. A message received too often moves to the dead-letter queue.
with heads as (
    select m.id
    from queue_messages m
    where m.queue = $1
      and m.visible_at <= $2
      -- Asked this way, only the index by group can answer: "no earlier one" was looked up in the index by
      -- time, in which every message looks at all the others.
      and m.id = (
          select head.id from queue_messages head
          where head.queue = m.queue and head.group_id = m.group_id
          order by head.queue, head.group_id, head.id
          limit 1
      )
    order by m.visible_at, m.id
    limit $3
    for update skip locked
)
update queue_messages m
set queue = case when m.receive_count >= $6::int4 then $7::text else m.queue end,
    visible_at = case when m.receive_count >= $6::int4 then $2::timestamptz else $4::timestamptz end,
    receipt = case when m.receive_count >= $6::int4 then null else gen_random_uuid() end,
    owner = case when m.receive_count >= $6::int4 then null else $5::uuid end,
    receive_count = m.receive_count + case when m.receive_count >= $6::int4 then 0 else 1 end
from heads
where m.id = heads.id
returning m.id, m.queue, m.group_id, m.body, m.receive_count, m.receipt
