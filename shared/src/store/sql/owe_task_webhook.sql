-- Ended tasks that stand alone and have an address: each is turned into one delivery, once.
with ended as (
    update tasks
    set noticed_at = $2
    where id = any($1)
      and callback_url is not null
      and batch_id is null
      and ended_at is not null
      and noticed_at is null
    returning id, callback_url
)
insert into webhook_deliveries
    (id, job_id, of_batch, event, url, next_at, sent_at, created_at, updated_at)
select gen_random_uuid(), id, false, 'job.ended', callback_url, $2, $2, $2, $2
from ended
on conflict on constraint one_delivery_of_an_event_to_an_address do nothing
returning id, url, attempts, sent_at
