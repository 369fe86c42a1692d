-- What a read of a source does to listings that it did not name, and how a source is doing.

-- A suspect source is read on, and found nothing where it used to find something. A quarantined one is read once a
-- week, and is active again as soon as that works.
alter table sources drop constraint sources_status_check;
alter table sources add constraint sources_status_check
    check (status in ('active', 'suspect', 'quarantined', 'disabled'));
alter table sources add column status_reason text;
alter table sources add column status_since timestamptz;
-- When it is read next, and how often; null is the house's own pace.
alter table sources add column next_read_at timestamptz;
alter table sources add column read_every_seconds integer check (read_every_seconds between 60 and 2592000);
update sources set next_read_at = coalesce(last_read_at + interval '6 hours', created_at);

create index sources_due on sources (next_read_at) where status <> 'disabled';

-- Listings that the read closed, or asked a check for; and why it closed none, where it might have.
alter table source_reads add column closed integer not null default 0 check (closed >= 0);
alter table source_reads add column nominated integer not null default 0 check (nominated >= 0);
alter table source_reads add column held text;
alter table source_reads add constraint only_a_complete_read_closes check (complete or closed = 0);

create index complete_reads on source_reads (source_id, id desc) where complete;

-- When a nominated listing may be checked again.
alter table listings add column next_check_at timestamptz;
create index listings_to_check on listings (next_check_at nulls first, id)
    where is_active and verification_status = 'nominated';

-- One check of a page, or of a job at its API, at a time.
create unique index one_check_at_a_time on tasks (url_key)
    where kind = 'verify' and status in ('pending', 'processing');
