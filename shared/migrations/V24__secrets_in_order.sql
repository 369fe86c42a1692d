-- Which secret of a key is the newest must not hang on the clock: two may be made within its tick.
alter table scraper_secrets add column number bigint generated always as identity;
