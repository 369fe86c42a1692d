-- Enqueues messages that were made in this transaction and so cannot have been sent before: nothing is looked up
-- and nothing kept for deduplication. The groups are locked first, as for every other message.
with sent as (
    select * from unnest($2::text[], $3::text[]) with ordinality as s (group_id, body, place)
),
locked as materialized (
    select count(pg_advisory_xact_lock(hashtextextended($1 || '/' || group_id, 11)) is null) as groups
    from (select distinct group_id from sent order by group_id) g
)
insert into queue_messages (queue, group_id, body, sent_at, visible_at)
select $1, sent.group_id, sent.body, $4, $4
from sent cross join locked
where locked.groups > 0
order by sent.place
