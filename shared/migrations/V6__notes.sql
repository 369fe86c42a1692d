-- Small things all instances agree on, each swapped by its version: the health of proxies, and when a site
-- may see one again. On AWS they are items of the gate's table.
create table gate_notes (
    key text primary key,
    value jsonb not null,
    version bigint not null,
    expires_at timestamptz not null
);

create index gate_notes_by_time on gate_notes (expires_at);
