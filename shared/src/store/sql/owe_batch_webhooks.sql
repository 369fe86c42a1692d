-- A batch of which nothing is left to do: one delivery to each address that its targets have.
with ended as (
    update batches b
    set noticed_at = $2
    where b.id = $1
      and b.kind = 'scrape_job'
      and b.noticed_at is null
      and not exists (
          select 1 from tasks t where t.batch_id = b.id and t.status in ('pending', 'processing')
      )
    returning b.id, b.callback_url
)
insert into webhook_deliveries
    (id, job_id, of_batch, event, url, next_at, sent_at, created_at, updated_at)
select gen_random_uuid(), ended.id, true, 'job.ended', addresses.url, $2, $2, $2, $2
from ended
cross join lateral (
    select distinct coalesce(t.callback_url, ended.callback_url) as url from tasks t where t.batch_id = ended.id
) addresses
where addresses.url is not null
on conflict on constraint one_delivery_of_an_event_to_an_address do nothing
returning id, url, attempts, sent_at
