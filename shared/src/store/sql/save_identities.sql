insert into identities (listing_id, cluster_id, company, role, city, region, country, raw_place, remote, requisition,
    board, standing, block, city_block, requisition_block)
select n.id, n.id, n.company, n.role, n.city, n.region, n.country, n.raw_place, n.remote, n.requisition, n.board,
    n.standing::standing, n.block, n.city_block, n.requisition_block
from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[],
        $9::text[], $10::text[], $11::text[], $12::bigint[], $13::bigint[], $14::bigint[])
    as n (id, company, role, city, region, country, raw_place, remote, requisition, board, standing, block, city_block,
        requisition_block)
order by n.id
on conflict (listing_id) do update set company = excluded.company, role = excluded.role, city = excluded.city,
    region = excluded.region, country = excluded.country, raw_place = excluded.raw_place, remote = excluded.remote,
    requisition = excluded.requisition, board = excluded.board, standing = excluded.standing, block = excluded.block,
    city_block = excluded.city_block, requisition_block = excluded.requisition_block
