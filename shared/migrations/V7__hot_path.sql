-- What a busy crawl touches most.

-- A site's window counts what is out to be fetched; pages that wait to be read are out as well, and there may
-- be thousands of them.
drop index tasks_in_flight;
create index tasks_in_flight on tasks (site) where released_at is not null and stage = 'fetch';
drop index tasks_out_since;
create index tasks_out_since on tasks (released_at) where released_at is not null and stage = 'extract';

-- Two updates a request, none of an indexed column: room on the page keeps them off the index.
alter table gates set (fillfactor = 50);
-- Rows come and go by the thousand; their dead must not pile up for a minute.
alter table queue_messages set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
alter table queue_dedup set (autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_threshold = 5000);
