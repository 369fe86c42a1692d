-- What is read of listings beside what V1 to V14 hold: requisitions, what apartments add, and what a look at a page is
-- compared with.

-- The employer's own number for the opening, where a board states it apart.
alter table jobs add column requisition text;

-- Of the page as it was read: `pages.simhash` is of the page as it was fetched last, which may be a later one.
alter table readings add column simhash bigint;

create table apartments (
    listing_id uuid primary key references listings (id) on delete cascade,
    description text,
    -- `{min, max, currency, period}`, extents as `{min, max}`; unknown parts are null.
    rent jsonb,
    bedrooms jsonb,
    bathrooms jsonb,
    area jsonb,
    street text,
    postal_code text,
    -- A day, or `now`.
    available_from jsonb,
    amenities text[] not null default '{}',
    pet_policy jsonb,
    phone text,
    provenance jsonb not null default '{}'
);
