-- The role queue: what was corrected stays to be read, runs are not told of again and again, a day has its marks.

alter type role_method add value if not exists 'model';

-- A correction stands beside what was decided, never over it.
alter table role_decisions add column corrected_role_id integer references roles (id) on delete set null;
alter table role_decisions add column corrected_at timestamptz;

-- How often a run's message was sent again since its last step: each time the wait doubles.
alter table match_runs add column resent integer not null default 0;

-- When a session stopped holding its role without having ended well. A late post completes it all the same.
alter table scrape_sessions add column timed_out_at timestamptz;

-- The steps of the daily run that were done, each with the last day (UTC) it was done for.
create table day_marks (
    step text primary key,
    day date not null,
    at timestamptz not null
);
