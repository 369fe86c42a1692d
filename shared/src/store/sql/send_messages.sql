-- Enqueues what was not sent in the last five minutes, in the order given.
with sent as (
    select * from unnest($2::text[], $3::text[], $4::text[]) with ordinality as s (group_id, dedup_id, body, place)
),
fresh as (
    insert into queue_dedup (queue, group_id, dedup_id, expires_at)
    select $1, group_id, dedup_id, $6 from sent order by group_id, dedup_id
    on conflict (queue, group_id, dedup_id) do update set expires_at = excluded.expires_at
        where queue_dedup.expires_at <= $5
    returning group_id, dedup_id
)
insert into queue_messages (queue, group_id, body, sent_at, visible_at)
select $1, sent.group_id, sent.body, $5, $5
from sent join fresh using (group_id, dedup_id)
order by sent.place
