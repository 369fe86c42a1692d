insert into jobs (listing_id, description, remote, employment_type, salary, salary_text, date_posted, valid_through,
    apply_url, provenance)
select n.id, n.description, n.remote, array(select jsonb_array_elements_text(n.types)), n.salary, n.salary_text,
    n.date_posted, n.valid_through, n.apply_url, n.provenance
from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[], $5::jsonb[], $6::text[], $7::date[], $8::text[],
        $9::text[], $10::jsonb[])
    as n (id, description, remote, types, salary, salary_text, date_posted, valid_through, apply_url, provenance)
order by n.id
on conflict (listing_id) do update set description = excluded.description, remote = excluded.remote,
    employment_type = excluded.employment_type, salary = excluded.salary, salary_text = excluded.salary_text,
    date_posted = excluded.date_posted, valid_through = excluded.valid_through, apply_url = excluded.apply_url,
    provenance = excluded.provenance
