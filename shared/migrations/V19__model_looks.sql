-- What a model last said of a page, and the look it was said at: while the page's own block stays, it is not asked again.
create table ai_looks (
    url_key text not null,
    target_type text not null,
    -- Who said it, and to which question: 'anthropic/small-1 company/2'.
    asked text not null,
    field_fingerprint text not null,
    block_fingerprint text not null,
    simhash bigint,
    answer jsonb not null,
    looked_at timestamptz not null,
    primary key (url_key, target_type)
);

create index ai_looks_by_age on ai_looks (looked_at);
