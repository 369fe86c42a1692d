-- Takes a task with a lease. A lease that ran out means that its holder crashed.
update tasks
set status = 'processing',
    fence = fence + 1,
    crashes = crashes + case when lease_until is null then 0 else 1 end,
    lease_until = $5,
    lease_owner = $6,
    started_at = coalesce(started_at, $4)
where id = $1
  and release_no = $2
  and stage = $3::text::task_stage
  and (status = 'pending' or (status = 'processing' and (lease_until is null or lease_until <= $4)))
returning fence, crashes
