-- Boards that are read as lists, and what each read was worth.
create table sources (
    id uuid primary key,
    -- `domain/boards`: the system's word, and the board's name there. Together they are the `source` of its listings.
    system text not null,
    token text not null,
    -- What an operator gave, or where it was found.
    url text not null check (length(url) <= 2048),
    company text,
    -- A quarantined source is read no more until its next probe; a disabled one until an operator says so.
    status text not null default 'active' check (status in ('active', 'quarantined', 'disabled')),
    -- Reads in a row that failed.
    failures integer not null default 0 check (failures >= 0),
    created_at timestamptz not null,
    last_read_at timestamptz,
    last_complete_at timestamptz,
    unique (system, token)
);

-- One row for each read: its certificate. Under a complete one a listing of this source that is active and was last
-- seen before `started_at` is absent.
create table source_reads (
    id bigint generated always as identity primary key,
    source_id uuid not null references sources (id) on delete cascade,
    task_id uuid not null unique,
    started_at timestamptz not null,
    ended_at timestamptz not null,
    reported_total bigint,
    unique_seen bigint not null check (unique_seen >= 0),
    pages_ok integer not null,
    pages_failed integer not null,
    cap_suspected boolean not null,
    scope text not null,
    complete boolean not null,
    reasons text[] not null,
    -- Why the first page could not be read; null for a read.
    error text,
    constraint a_complete_read_has_no_reason check (complete = (reasons = '{}')),
    constraint a_failed_read_is_not_complete check (error is null or not complete),
    constraint a_lost_page_is_a_hole check (not complete or pages_failed = 0),
    constraint a_cap_is_a_hole check (not (complete and cap_suspected))
);

create index source_reads_by_source on source_reads (source_id, id desc);

-- One read of a board at a time.
create unique index one_read_at_a_time on tasks (url_key)
    where kind = 'source_scrape' and status in ('pending', 'processing');
