-- Webhooks: who is told how a job ended, and what came of it.

alter table tasks add column if not exists callback_url text;
alter table tasks add column if not exists cancelled_at timestamptz;
alter table batches add column if not exists callback_url text;
alter table batches add column if not exists workspace_id text;
alter table batches add column if not exists cancelled_at timestamptz;

-- Set when its end has been turned into deliveries: the sweep looks for ended ones without it.
alter table tasks add column noticed_at timestamptz;
alter table batches add column noticed_at timestamptz;

create index tasks_to_notice on tasks (ended_at)
    where callback_url is not null and batch_id is null and noticed_at is null and ended_at is not null;
create index batches_to_notice on batches (created_at) where kind = 'scrape_job' and noticed_at is null;

create type webhook_status as enum ('pending', 'delivered', 'failed', 'stopped');

create table webhook_deliveries (
    -- What the receiver sees as `webhook-id`; the same on every attempt.
    id uuid primary key,
    -- The order of the list.
    no bigint generated always as identity unique,
    -- The batch, or the task that stands alone.
    job_id uuid not null,
    of_batch boolean not null,
    event text not null,
    url text not null check (octet_length(url) <= 2048),
    -- Exactly what is signed and sent; made for the first attempt.
    body text,
    status webhook_status not null default 'pending',
    attempts integer not null default 0,
    next_at timestamptz not null,
    -- When a message about it was last sent.
    sent_at timestamptz not null,
    -- Bumped by each claim; a settle with an older one changes nothing.
    fence integer not null default 0,
    lease_until timestamptz,
    last_status integer,
    last_error text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint one_delivery_of_an_event_to_an_address unique (job_id, event, url)
);

create index webhooks_due on webhook_deliveries (next_at) where status = 'pending';
create index webhooks_by_status on webhook_deliveries (status, no);

-- Addresses that answered 410. Nothing is sent there until an admin replays a delivery to it.
create table webhook_endpoints_off (
    url text primary key,
    since timestamptz not null
);
