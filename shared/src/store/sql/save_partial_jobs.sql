-- What a list says of jobs of which more is known behind it: what it leaves out stays. Lists of words travel joined by
-- the unit separator.
insert into jobs (listing_id, description, remote, employment_type, salary, salary_text, date_posted, valid_through,
    apply_url, provenance, requisition, skills)
select j.listing_id, j.description, j.remote, string_to_array(j.employment_type, E'\x1f'), j.salary, j.salary_text,
    j.date_posted, j.valid_through, j.apply_url, j.provenance, j.requisition, string_to_array(j.skills, E'\x1f')
from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::jsonb[], $6::text[], $7::date[], $8::text[], $9::text[],
        $10::jsonb[], $11::text[], $12::text[])
    as j (listing_id, description, remote, employment_type, salary, salary_text, date_posted, valid_through, apply_url,
        provenance, requisition, skills)
order by j.listing_id
on conflict (listing_id) do update set description = coalesce(excluded.description, jobs.description),
    remote = coalesce(excluded.remote, jobs.remote),
    employment_type = case when excluded.employment_type = '{}' then jobs.employment_type else excluded.employment_type end,
    salary = coalesce(excluded.salary, jobs.salary), salary_text = coalesce(excluded.salary_text, jobs.salary_text),
    date_posted = coalesce(excluded.date_posted, jobs.date_posted),
    valid_through = coalesce(excluded.valid_through, jobs.valid_through),
    apply_url = coalesce(excluded.apply_url, jobs.apply_url), provenance = jobs.provenance || excluded.provenance,
    requisition = coalesce(excluded.requisition, jobs.requisition),
    skills = case when excluded.skills = '{}' then jobs.skills else excluded.skills end
