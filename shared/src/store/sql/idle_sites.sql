-- Sites with work that is due and a window that is not full.
select w.site
from (
    select distinct site
    from tasks
    where status = 'pending' and released_at is null and (not_before is null or not_before <= $1)
) w
where not exists (
    select 1 from tasks o where o.site = w.site and o.released_at is not null and o.stage = 'fetch'
)
order by w.site
limit 500
