-- Who may be the same job as each of these: the same company and role, in the same city or in none that is known.
-- The newest of each kind, and no more than a lookup can afford.
select q.id as asked, c.listing_id
from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[]) as q (id, block, city, requisition)
cross join lateral (
    (select i.listing_id from identities i
        where q.city is not null and i.block = q.block and i.city_block = q.city and i.listing_id <> q.id
        order by i.listing_id desc limit 40)
    union all
    (select i.listing_id from identities i
        where q.city is not null and i.block = q.block and i.city_block is null and i.listing_id <> q.id
        order by i.listing_id desc limit 10)
    union all
    (select i.listing_id from identities i
        where q.city is null and i.block = q.block and i.listing_id <> q.id
        order by i.city_block, i.listing_id desc limit 50)
    union all
    (select i.listing_id from identities i
        where q.requisition is not null and i.requisition_block = q.requisition and i.listing_id <> q.id
        order by i.listing_id desc limit 20)
) c
