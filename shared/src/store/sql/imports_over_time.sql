-- What was imported, step by step: the scrapers that brought the most each by itself, all others as one.
-- Sessions are picked as the totals pick them (started since $1 and completed), so that both add up to the same.
with done as (
    select scraper_key_id, scraper_name, date_trunc($2::text, completed_at, 'UTC') as at, jobs_imported, jobs_skipped
    from scrape_sessions where started_at >= $1 and status = 'completed'
), busiest as (
    select scraper_key_id, max(scraper_name) as scraper_name from done
    group by scraper_key_id order by sum(jobs_imported) desc, scraper_key_id limit $3
)
select d.at, b.scraper_key_id, b.scraper_name, sum(d.jobs_imported)::bigint as jobs_imported,
    sum(d.jobs_skipped)::bigint as jobs_skipped, count(*)::bigint as sessions
from done d left join busiest b on b.scraper_key_id = d.scraper_key_id
group by d.at, b.scraper_key_id, b.scraper_name
order by d.at, b.scraper_key_id nulls last
