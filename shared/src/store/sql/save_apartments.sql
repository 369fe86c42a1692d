-- What homes add to their listings. Lists of words travel joined by the unit separator.
insert into apartments (listing_id, description, rent, bedrooms, bathrooms, area, street, postal_code, available_from,
    amenities, pet_policy, phone, provenance)
select a.listing_id, a.description, a.rent, a.bedrooms, a.bathrooms, a.area, a.street, a.postal_code, a.available_from,
    string_to_array(a.amenities, E'\x1f'), a.pet_policy, a.phone, a.provenance
from unnest($1::uuid[], $2::text[], $3::jsonb[], $4::jsonb[], $5::jsonb[], $6::jsonb[], $7::text[], $8::text[], $9::jsonb[],
        $10::text[], $11::jsonb[], $12::text[], $13::jsonb[])
    as a (listing_id, description, rent, bedrooms, bathrooms, area, street, postal_code, available_from, amenities,
        pet_policy, phone, provenance)
order by a.listing_id
on conflict (listing_id) do update set description = excluded.description, rent = excluded.rent,
    bedrooms = excluded.bedrooms, bathrooms = excluded.bathrooms, area = excluded.area, street = excluded.street,
    postal_code = excluded.postal_code, available_from = excluded.available_from, amenities = excluded.amenities,
    pet_policy = excluded.pet_policy, phone = excluded.phone, provenance = excluded.provenance
