-- The house: tasks and batches, the one-machine queue and gate, pages, listings and their evidence.

create type task_kind as enum
    ('company', 'source_discovery', 'source_scrape', 'listing', 'verify', 'market_scrape', 'page');
create type task_status as enum
    ('pending', 'processing', 'success', 'filtered', 'skipped', 'failed', 'cancelled');
create type task_stage as enum ('fetch', 'extract', 'filter', 'analyze', 'save');
create type batch_kind as enum ('scrape_job', 'ingestion_run', 'market_scrape', 'source_scrape');
create type listing_kind as enum ('job', 'apartment');
create type verification_status as enum ('unverified', 'verified', 'nominated', 'unverifiable');
create type evidence_event as enum
    ('created', 'refreshed', 'nominated', 'verified', 'closed', 'reopened', 'merged');

create table batches (
    id uuid primary key,
    kind batch_kind not null,
    size integer not null check (size >= 0),
    created_at timestamptz not null
);

create table tasks (
    id uuid primary key,
    batch_id uuid references batches (id),
    kind task_kind not null,
    status task_status not null default 'pending',
    stage task_stage not null default 'fetch',
    -- Fetched as given; `url_key` is the normalised form that identifies the page.
    url text not null check (length(url) <= 2048),
    url_key text not null,
    site text not null check (length(site) between 1 and 128),
    target_type text not null,
    workspace_id text,
    requested_fields text[],
    priority integer not null default 0,
    -- 0 for a task that stands alone: it goes before batches, and small batches before large ones.
    batch_size integer not null default 0,
    pipeline_state jsonb not null default '{}',
    attempts integer not null default 0,
    crashes integer not null default 0,
    -- The number of the process's death that this task was last part of.
    last_death bigint,
    not_before timestamptz,
    -- Bumped by each release; a message with an older number is dropped.
    release_no integer not null default 0,
    -- Set while a message for this task is out.
    released_at timestamptz,
    -- Bumped by each claim; a settle with an older fence changes nothing.
    fence integer not null default 0,
    lease_until timestamptz,
    lease_owner uuid,
    tracking_id uuid not null,
    ancestry uuid[] not null default '{}',
    spawn_depth integer not null default 0 check (spawn_depth between 0 and 10),
    request_id uuid,
    listing_id uuid,
    result jsonb,
    meta jsonb,
    error_code text,
    error text,
    quarantined boolean not null default false,
    created_at timestamptz not null,
    started_at timestamptz,
    ended_at timestamptz,
    constraint an_ended_task_has_an_end
        check ((status in ('pending', 'processing')) = (ended_at is null)),
    constraint a_claimed_task_has_a_lease check (lease_until is null or status = 'processing')
);

-- Numbers the deaths of processes on one machine.
create sequence process_deaths;

-- What `release` picks from, in the order it picks.
create index tasks_to_release on tasks (site, priority desc, batch_size, created_at, id)
    where status = 'pending' and released_at is null;
-- What is out, per site (the window) and by age (the sweep).
create index tasks_in_flight on tasks (site) where released_at is not null;
create index tasks_out_since on tasks (released_at) where released_at is not null;
create index tasks_waiting on tasks (kind) where status = 'pending';
create index tasks_of_lineage on tasks (tracking_id);
create index tasks_of_batch on tasks (batch_id) where batch_id is not null;
create index tasks_ended on tasks (ended_at) where ended_at is not null;

-- How often each of the spawn checks refused.
create table spawn_refusals (
    code text primary key,
    count bigint not null,
    last_at timestamptz not null
);

create table policies (
    site text primary key,
    policy jsonb not null,
    updated_at timestamptz not null
);

-- What we hold of each page, by normalised url.
create table pages (
    url_key text primary key,
    site text not null,
    status integer not null,
    final_url text not null,
    content_type text,
    etag text,
    last_modified text,
    content_sha256 text,
    raw_key text,
    -- 64 bits as a signed number; null for a page of fewer than three words.
    simhash bigint,
    fetched_at timestamptz not null
);

-- What was read from a page: answered again while page and extractor stay the same.
create table readings (
    url_key text not null,
    target_type text not null,
    extractor_version text not null,
    content_sha256 text not null,
    field_fingerprint text,
    verdict jsonb not null,
    result jsonb,
    listing_id uuid,
    read_at timestamptz not null,
    primary key (url_key, target_type)
);

create table listings (
    id uuid primary key,
    kind listing_kind not null,
    source text not null,
    external_id text not null,
    url text not null,
    title text not null,
    company text,
    place jsonb,
    market text,
    first_seen_at timestamptz not null,
    last_seen_at timestamptz not null,
    times_seen integer not null default 1 check (times_seen >= 1),
    verification_status verification_status not null default 'unverified',
    is_active boolean not null default true,
    closed_at timestamptz,
    close_reason text,
    cluster_id uuid not null,
    extractor_version text not null,
    field_fingerprint text not null,
    unique (source, external_id),
    constraint a_closed_listing_says_when_and_why
        check (is_active = (closed_at is null) and is_active = (close_reason is null))
);

create index listings_by_age on listings (first_seen_at desc, id desc);

create table jobs (
    listing_id uuid primary key references listings (id) on delete cascade,
    description text,
    remote text,
    employment_type text[] not null default '{}',
    salary jsonb,
    salary_text text,
    date_posted date,
    -- A moment or a day, as the posting says it.
    valid_through text,
    apply_url text,
    provenance jsonb not null default '{}'
);

-- Why a listing is in the state it is in. Rows are added, never changed.
create table evidence (
    id bigint generated always as identity primary key,
    listing_id uuid not null references listings (id) on delete cascade,
    task_id uuid,
    event evidence_event not null,
    rule text not null,
    verdict_code text,
    http_status integer,
    final_url text,
    raw_key text,
    extractor_version text,
    detail jsonb,
    at timestamptz not null
);

create index evidence_of_listing on evidence (listing_id, id);
-- A task says one thing once, however often it is delivered.
create unique index evidence_of_task on evidence (listing_id, task_id, event) where task_id is not null;

create table dead_letters (
    id bigint generated always as identity primary key,
    queue text not null,
    message_id text not null,
    group_id text not null,
    body text not null,
    receive_count integer not null,
    died_at timestamptz not null,
    unique (queue, message_id)
);

-- The one-machine queue, with the semantics and limits of SQS FIFO.
create table queue_messages (
    id bigint generated always as identity primary key,
    queue text not null,
    group_id text not null check (length(group_id) between 1 and 128),
    body text not null,
    sent_at timestamptz not null,
    visible_at timestamptz not null,
    receive_count integer not null default 0,
    -- Who holds it, and the proof; null when nobody does.
    receipt uuid,
    owner uuid
);

create index queue_by_group on queue_messages (queue, group_id, id);
create index queue_by_time on queue_messages (queue, visible_at, id);

create table queue_dedup (
    queue text not null,
    group_id text not null,
    dedup_id text not null,
    expires_at timestamptz not null,
    primary key (queue, group_id, dedup_id)
);

create index queue_dedup_by_time on queue_dedup (expires_at);

-- The one-machine gate.
create table gates (
    site text primary key,
    state jsonb not null,
    version bigint not null,
    expires_at timestamptz not null
);

create table request_counts (
    key text not null,
    window_start timestamptz not null,
    count integer not null,
    expires_at timestamptz not null,
    primary key (key, window_start)
);

create index request_counts_by_time on request_counts (expires_at);
