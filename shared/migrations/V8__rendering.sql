-- Sites whose pages say nothing without a browser, as the latest such page showed. Believed for a week: then one
-- page is looked at plainly again.
create table site_rendering (
    site text primary key,
    -- What gave it away; see `domain/needs.rs`.
    reason text not null,
    learnt_at timestamptz not null
);

create index site_rendering_by_age on site_rendering (learnt_at);
