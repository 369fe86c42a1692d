-- Clusters: the same job on several boards, why we say so, and what an admin has taken apart.

alter type evidence_event add value if not exists 'split';
alter type evidence_event add value if not exists 'reread';

create type standing as enum ('aggregator', 'unknown', 'first_party');

-- Who a listing is, in the spelling in which listings are compared (`domain/cluster`). A listing without a row here has
-- no company or no title to be compared by: it is a cluster of its own. Rows are written only under the lock of
-- their company, which all members of a cluster share.
create table identities (
    listing_id uuid primary key references listings (id) on delete cascade,
    -- The oldest member.
    cluster_id uuid not null check (cluster_id <= listing_id),
    company text not null check (company <> ''),
    role text not null check (role <> ''),
    city text,
    region text,
    country text,
    raw_place text,
    remote boolean,
    requisition text,
    board text not null,
    standing standing not null,
    -- Hashes of company and role, of the city, and of company and requisition: what the likes of it are found by.
    block bigint not null,
    city_block bigint,
    requisition_block bigint
);

create index identities_of_block on identities (block, city_block, listing_id desc);
create index identities_of_requisition on identities (requisition_block, listing_id desc)
    where requisition_block is not null;
create index identities_of_cluster on identities (cluster_id);

-- Two listings that are one job, and why. Facts about the two, whether or not they are in one cluster.
create table cluster_links (
    a uuid not null references identities (listing_id) on delete cascade,
    b uuid not null references identities (listing_id) on delete cascade,
    rule text not null check (rule in ('requisition', 'body')),
    score double precision not null check (score between 0 and 1),
    at timestamptz not null,
    primary key (a, b),
    check (a < b)
);

create index cluster_links_back on cluster_links (b);

-- Two listings that an admin has taken apart. They stay apart, whatever is read later, until it is undone.
create table cluster_splits (
    a uuid not null references listings (id) on delete cascade,
    b uuid not null references listings (id) on delete cascade,
    reason text,
    at timestamptz not null,
    primary key (a, b),
    check (a < b)
);

create index cluster_splits_back on cluster_splits (b);

-- Of the posting's own block, to spare dear work on a page that says what it said.
alter table readings add column block_fingerprint text;
-- What a replay walks along.
create index pages_by_time on pages (fetched_at, url_key);
