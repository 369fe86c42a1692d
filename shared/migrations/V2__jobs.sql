-- The scrape service: jobs with their callbacks, answers from storage, repeated requests, what renderers report.

alter table tasks
    add column callback_url text check (length(callback_url) <= 2048),
    -- A caller asked a task that stands alone to stop; one that was under way ends by itself all the same.
    add column cancelled_at timestamptz;

alter table batches
    add column workspace_id text,
    add column callback_url text check (length(callback_url) <= 2048),
    add column cancelled_at timestamptz;

-- Pages that were read for a workspace, the latest first: what `max_age` looks for. A hash, because addresses are long.
create index tasks_answers on tasks (hashtextextended(url_key, 0), ended_at desc)
    where kind = 'page' and status = 'success';

-- What was answered to a request that may be sent again.
create table idempotency_keys (
    -- Who asked, and for which workspace.
    scope text not null,
    key text not null check (length(key) between 1 and 255),
    -- Of the route and the body: the same key with another request is a mistake.
    request_sha256 text not null,
    answer jsonb not null,
    expires_at timestamptz not null,
    primary key (scope, key)
);

create index idempotency_keys_by_time on idempotency_keys (expires_at);

-- How the browsers of each renderer are, as it last said.
create table renderer_reports (
    instance uuid primary key,
    total integer not null,
    available integer not null,
    in_use integer not null,
    pages_processed bigint not null,
    recycled_count bigint not null,
    reported_at timestamptz not null
);
