-- What jobs add to their listings. Lists of words travel joined by the unit separator.
insert into jobs (listing_id, description, remote, employment_type, salary, salary_text, date_posted, valid_through,
    apply_url, provenance, requisition, skills)
select j.listing_id, j.description, j.remote, string_to_array(j.employment_type, E'\x1f'), j.salary, j.salary_text,
    j.date_posted, j.valid_through, j.apply_url, j.provenance, j.requisition, string_to_array(j.skills, E'\x1f')
from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::jsonb[], $6::text[], $7::date[], $8::text[], $9::text[],
        $10::jsonb[], $11::text[], $12::text[])
    as j (listing_id, description, remote, employment_type, salary, salary_text, date_posted, valid_through, apply_url,
        provenance, requisition, skills)
order by j.listing_id
on conflict (listing_id) do update set description = excluded.description, remote = excluded.remote,
    employment_type = excluded.employment_type, salary = excluded.salary, salary_text = excluded.salary_text,
    date_posted = excluded.date_posted, valid_through = excluded.valid_through, apply_url = excluded.apply_url,
    provenance = excluded.provenance, requisition = excluded.requisition, skills = excluded.skills
