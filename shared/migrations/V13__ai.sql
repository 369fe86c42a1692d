-- What models answered, by the hash of what they were asked; the same question is not paid for twice.
create table ai_answers (
    question_sha256 text primary key check (question_sha256 ~ '^[0-9a-f]{64}$'),
    provider text not null,
    model text not null,
    answer jsonb not null,
    tokens_in bigint not null check (tokens_in >= 0),
    tokens_out bigint not null check (tokens_out >= 0),
    answered_at timestamptz not null
);

create index ai_answers_by_age on ai_answers (answered_at);

-- What each day has cost, in millionths of a dollar. What is about to be asked is added before it is asked, at the
-- most it can cost, and corrected afterwards: a process that dies in between makes a day look dearer, never cheaper.
create table ai_days (
    day date primary key,
    micros bigint not null check (micros >= 0),
    calls bigint not null check (calls >= 0)
);

-- What was asked for which task, and what it came to. An answer from `ai_answers` costs nothing.
create table ai_calls (
    id bigint generated always as identity primary key,
    task_id uuid,
    provider text not null,
    model text not null,
    -- 'answered', 'cached', or the code of what went wrong.
    outcome text not null,
    tokens_in bigint not null check (tokens_in >= 0),
    tokens_out bigint not null check (tokens_out >= 0),
    micros bigint not null check (micros >= 0),
    called_at timestamptz not null,
    check (outcome <> 'cached' or micros = 0)
);

create index ai_calls_by_task on ai_calls (task_id) where task_id is not null;
create index ai_calls_by_age on ai_calls (called_at);
