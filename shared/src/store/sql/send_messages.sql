-- Enqueues what was not sent in the last five minutes, in the order given. The groups are locked first, so
-- that ids of one group rise in the order of their commits and no message can slip in before one that is in
-- flight; everything below waits for that lock.
with sent as (
    select * from unnest($2::text[], $3::text[], $4::text[]) with ordinality as s (group_id, dedup_id, body, place)
),
locked as materialized (
    select count(pg_advisory_xact_lock(hashtextextended($1 || '/' || group_id, 11)) is null) as groups
    from (select distinct group_id from sent order by group_id) g
),
fresh as (
    insert into queue_dedup (queue, group_id, dedup_id, expires_at)
    select $1, group_id, dedup_id, $6 from sent cross join locked where locked.groups > 0
    order by group_id, dedup_id
    on conflict (queue, group_id, dedup_id) do update set expires_at = excluded.expires_at
        where queue_dedup.expires_at <= $5
    returning group_id, dedup_id
)
insert into queue_messages (queue, group_id, body, sent_at, visible_at)
select $1, sent.group_id, sent.body, $5, $5
from sent join fresh using (group_id, dedup_id)
order by sent.place
