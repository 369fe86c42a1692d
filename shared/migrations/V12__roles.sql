-- The role queue: keys of external scrapers, roles and their names, sessions, candidates, matches.

create type queue_status as enum ('pending', 'processing', 'completed');
-- In order: what is urgent is the greatest.
create type role_priority as enum ('low', 'normal', 'high', 'urgent');
create type session_status as enum ('in_progress', 'completed', 'failed', 'timeout', 'released');
create type role_method as enum ('correction', 'alias', 'key', 'new');

create table scraper_keys (
    id integer generated always as identity primary key,
    name text not null check (length(name) between 1 and 100),
    -- Null: every source.
    allowed_sources text[],
    usage_count bigint not null default 0,
    last_used_at timestamptz,
    revoked_at timestamptz,
    created_by text not null,
    created_at timestamptz not null
);

-- What a key is proven by. There are two while it is being rotated.
create table scraper_secrets (
    public_id text primary key check (public_id ~ '^[0-9a-z]{10}$'),
    key_id integer not null references scraper_keys (id) on delete cascade,
    sha256 bytea not null check (length(sha256) = 32),
    expires_at timestamptz,
    created_at timestamptz not null
);

create index scraper_secrets_of_key on scraper_secrets (key_id);

create table roles (
    id integer generated always as identity primary key,
    name text not null check (length(name) between 1 and 255),
    -- The title, cleaned (`domain/roles`): one row for all spellings.
    key text not null unique check (length(key) between 1 and 1000),
    head text not null,
    technologies text[] not null,
    queue_status queue_status not null default 'pending',
    priority role_priority not null default 'normal',
    -- Kept by a trigger: the number of links, always.
    candidate_count integer not null default 0 check (candidate_count >= 0),
    total_jobs_scraped bigint not null default 0,
    last_scraped_at timestamptz,
    -- Since when it waits; the older goes first.
    pending_since timestamptz not null,
    -- The live session.
    held_by uuid,
    -- A role that may be the same, for an admin to look at.
    suggested_role_id integer references roles (id) on delete set null,
    suggested_score real,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint a_held_role_is_processing check ((queue_status = 'processing') = (held_by is not null))
);

-- What `next-role` picks from, in the order it picks.
create index roles_to_hand_out on roles (priority desc, candidate_count desc, pending_since, id)
    where queue_status = 'pending';
create index roles_completed on roles (last_scraped_at) where queue_status = 'completed';
create index roles_alike on roles (head);

-- Other names of a role, as they were written.
create table role_aliases (
    role_id integer not null references roles (id) on delete cascade,
    alias text not null check (length(alias) between 1 and 255),
    primary key (role_id, alias)
);

-- Keys that lead to a role beside its own: what was merged into it, and what an admin said.
create table role_keys (
    key text primary key,
    role_id integer not null references roles (id) on delete cascade,
    method role_method not null check (method in ('alias', 'correction')),
    said_by text,
    at timestamptz not null
);

create index role_keys_of_role on role_keys (role_id);

-- How every title came to its role.
create table role_decisions (
    id bigint generated always as identity primary key,
    title text not null,
    key text not null,
    role_id integer references roles (id) on delete set null,
    method role_method not null,
    score real not null check (score between 0 and 1),
    suggested_role_id integer references roles (id) on delete set null,
    corrected_by text,
    at timestamptz not null
);

create index role_decisions_of_key on role_decisions (key);

create table scrape_sessions (
    id bigint generated always as identity primary key,
    session_id uuid not null unique,
    scraper_key_id integer not null references scraper_keys (id),
    scraper_name text not null,
    role_id integer references roles (id) on delete set null,
    role_name text not null,
    started_at timestamptz not null,
    updated_at timestamptz not null,
    lease_expires_at timestamptz not null,
    completed_at timestamptz,
    duration_seconds integer,
    jobs_found integer not null default 0,
    jobs_imported integer not null default 0,
    jobs_skipped integer not null default 0,
    status session_status not null default 'in_progress',
    error_message text,
    constraint an_ended_session_has_an_end check ((status = 'in_progress') = (completed_at is null)),
    constraint what_was_found_adds_up check (jobs_found = jobs_imported + jobs_skipped)
);

create index scrape_sessions_by_time on scrape_sessions (started_at desc, id desc);
create index scrape_sessions_of_key on scrape_sessions (scraper_key_id, started_at desc);
create index scrape_sessions_open on scrape_sessions (lease_expires_at) where status = 'in_progress';
-- A role is held by one live session. Not deferred: a second one fails at once.
create unique index scrape_sessions_live on scrape_sessions (role_id) where status = 'in_progress';

-- Posts of jobs, so that the same one sent twice answers the same.
create table session_posts (
    session_id uuid not null references scrape_sessions (session_id) on delete cascade,
    sha256 bytea not null,
    answer jsonb not null,
    at timestamptz not null,
    primary key (session_id, sha256)
);

alter table jobs add column if not exists skills text[] not null default '{}';

-- Which roles a job was found for.
create table role_jobs (
    role_id integer not null references roles (id) on delete cascade,
    listing_id uuid not null references listings (id) on delete cascade,
    session_id uuid,
    at timestamptz not null,
    primary key (role_id, listing_id)
);

create index role_jobs_of_listing on role_jobs (listing_id);

create table candidates (
    id uuid primary key,
    name text check (length(name) <= 200),
    current_title text check (length(current_title) <= 255),
    skills text[] not null default '{}',
    tech_stack text[] not null default '{}',
    specializations text,
    locations text[] not null default '{}',
    remote boolean,
    salary_min double precision check (salary_min >= 0),
    salary_currency text check (salary_currency ~ '^[A-Z]{3}$'),
    preferred_roles text[] not null default '{}',
    search_keywords text[] not null default '{}',
    created_at timestamptz not null,
    updated_at timestamptz not null
);

create index candidates_by_age on candidates (created_at desc, id desc);

create table candidate_roles (
    candidate_id uuid not null references candidates (id) on delete cascade,
    role_id integer not null references roles (id) on delete cascade,
    at timestamptz not null,
    primary key (candidate_id, role_id)
);

create index candidate_roles_of_role on candidate_roles (role_id, candidate_id);

-- The count is the number of links because nobody else writes it. Rows are locked in one order.
create function count_candidates() returns trigger language plpgsql as $$
begin
    perform 1 from roles where id in (select role_id from changed) order by id for no key update;
    update roles r set candidate_count = r.candidate_count
            + (case when tg_op = 'INSERT' then 1 else -1 end) * c.links
        from (select role_id, count(*)::integer as links from changed group by role_id) c
        where r.id = c.role_id;
    return null;
end $$;

create trigger candidate_links_made after insert on candidate_roles
    referencing new table as changed for each statement execute function count_candidates();
create trigger candidate_links_gone after delete on candidate_roles
    referencing old table as changed for each statement execute function count_candidates();

create function links_do_not_move() returns trigger language plpgsql as $$
begin
    raise exception 'a link is made and deleted, never moved';
end $$;

create trigger candidate_links_moved before update on candidate_roles
    for each row execute function links_do_not_move();

create table candidate_job_matches (
    candidate_id uuid not null references candidates (id) on delete cascade,
    listing_id uuid not null references listings (id) on delete cascade,
    role_id integer references roles (id) on delete set null,
    score real not null check (score between 0 and 100),
    parts jsonb not null,
    scored_at timestamptz not null,
    primary key (candidate_id, listing_id)
);

create index matches_by_score on candidate_job_matches (candidate_id, score desc, listing_id);
create index matches_of_listing on candidate_job_matches (listing_id);

-- Work of the matcher: new jobs for everybody of a role, or one candidate against the jobs of the roles they want.
-- The cursor moves in the transaction that stores the scores: every pair is scored once.
create table match_runs (
    id uuid primary key,
    role_id integer references roles (id) on delete cascade,
    listing_ids uuid[],
    candidate_id uuid references candidates (id) on delete cascade,
    session_id uuid,
    cursor uuid not null default '00000000-0000-0000-0000-000000000000',
    release_no integer not null default 0,
    pairs_scored bigint not null default 0,
    matches_made bigint not null default 0,
    created_at timestamptz not null,
    touched_at timestamptz not null,
    ended_at timestamptz,
    check ((candidate_id is null) = (role_id is not null and listing_ids is not null))
);

create index match_runs_open on match_runs (touched_at) where ended_at is null;
create index match_runs_ended on match_runs (ended_at) where ended_at is not null;

-- Jobs whose fields changed: they are scored again for the roles they belong to.
create table changed_jobs (
    listing_id uuid primary key references listings (id) on delete cascade
);

create function note_changed_job() returns trigger language plpgsql as $$
begin
    insert into changed_jobs (listing_id)
        select new.id where exists (select 1 from role_jobs where listing_id = new.id)
        on conflict do nothing;
    return null;
end $$;

create trigger listing_fields_changed after update of field_fingerprint on listings
    for each row when (old.field_fingerprint is distinct from new.field_fingerprint)
    execute function note_changed_job();

-- How many active jobs name each skill; refreshed daily. The empty skill counts the jobs.
create table skill_counts (
    skill text primary key,
    jobs integer not null
);
