-- Deliveries that are due and of which nothing was heard: their message is lost, and they get another.
with lost as (
    select id
    from webhook_deliveries
    where status = 'pending'
      and next_at < $1
      and sent_at < $1
      and (lease_until is null or lease_until < $2)
    order by next_at
    limit 500
    for update skip locked
)
update webhook_deliveries d
set sent_at = $2
from lost
where d.id = lost.id
returning d.id, d.url, d.attempts, d.sent_at
