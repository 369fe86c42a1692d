// The queue of roles: how many wait, who is working on what, and what comes next.

import { useState } from "react";
import { ask, type Schemas } from "../ask";
import { useLive } from "../live";
import { Badge, Choice, Empty, Figure, Loading, Problem, Section } from "../parts/small";
import { type Column, Table } from "../parts/Table";
import { priorityTone, ROLE } from "../parts/words";
import { Ago, counted, number, Since, span, useSeconds } from "../time";

type Session = Schemas["SessionView"];
type Waiting = Schemas["Waiting"];
type Role = Schemas["RoleView"];

/** A scraper that was quiet for this long may be dead. */
const QUIET = 10 * 60;
const LEASE = 60 * 60;
const SHOWN = 100;

export function Queue() {
  const [shown, setShown] = useState<"waiting" | "done">("waiting");
  const queue = useLive("queue", (signal) =>
    ask("get", "/api/scraper-monitoring/queue", { query: { limit: SHOWN }, signal }),
  );
  const sessions = useLive("live sessions", (signal) =>
    ask("get", "/api/scraper-monitoring/sessions", {
      query: { status: "in_progress", hours: 744, limit: 100 },
      signal,
    }),
  );
  const day = useLive(
    "stats of a day",
    (signal) => ask("get", "/api/scraper-monitoring/stats", { query: { hours: 24 }, signal }),
    10_000,
  );
  const counts = queue.data?.counts;
  const live = sessions.data?.sessions;
  return (
    <>
      <h1>Queue</h1>
      <p className="lead">Roles that wait to be scraped, and who is working on what.</p>
      <Problem text={queue.problem ?? sessions.problem ?? day.problem} />
      <dl className="figures" aria-label="Figures">
        <Figure name="Waiting" value={amount(counts?.pending.roles)} more={wanted(counts?.pending)} />
        <Figure
          name="Processing"
          value={amount(counts?.processing.roles)}
          more={wanted(counts?.processing)}
        />
        <Figure name="Done" value={amount(counts?.completed.roles)} more={wanted(counts?.completed)} />
        <Figure
          name="Imported in 24 h"
          value={amount(day.data?.totals.jobs_imported)}
          more={day.data ? counted(day.data.totals.total_sessions, "session") : null}
        />
      </dl>

      <Section title="Live sessions" note="Each holds one role, for an hour from its last sign of life.">
        {!live ? (
          <Loading problem={sessions.problem} />
        ) : live.length ? (
          <Table name="Live sessions" columns={SESSIONS} rows={live} id={(one) => one.session_id} />
        ) : (
          <Empty title="Nobody is scraping now.">
            <p>
              A scraper asks for work with <code>GET /api/scraper/queue/next-role</code> and its key.{" "}
              <a href="#/keys">Make a key</a>
            </p>
          </Empty>
        )}
      </Section>

      <Section
        title="Roles"
        note={
          shown === "waiting"
            ? "In the order they are handed out."
            : "They wait again a day after they were scraped."
        }
        side={
          <Choice
            name="Which roles"
            value={shown}
            onChange={setShown}
            options={[
              ["waiting", "Waiting"],
              ["done", "Done"],
            ]}
          />
        }
      >
        {shown === "done" ? (
          <Done />
        ) : !queue.data ? (
          <Loading problem={queue.problem} />
        ) : queue.data.queue.length ? (
          <>
            <Table
              name="Roles that wait"
              columns={waitingColumns(live ?? [])}
              rows={queue.data.queue}
              id={(one) => one.id}
            />
            {queue.data.queue.length === SHOWN ? (
              <p className="faint small">These are the first {SHOWN}; search the rest under Roles.</p>
            ) : null}
          </>
        ) : (
          <Empty title="No role waits.">
            <p>
              Roles come from what candidates want (<code>POST /api/candidates</code>), or{" "}
              <a href="#/roles">make one yourself</a>.
            </p>
          </Empty>
        )}
      </Section>
    </>
  );
}

function amount(count: number | undefined): string {
  return count === undefined ? "–" : number(count);
}

function wanted(count: Schemas["QueueCount"] | undefined): string | null {
  return count ? counted(count.candidates, "candidate") : null;
}

const SESSIONS: Column<Session>[] = [
  { name: "Role", main: true, cell: (one) => one.role_name },
  { name: "Scraper", cell: (one) => one.scraper_name },
  { name: "Working for", number: true, cell: (one) => <Since at={one.started_at} /> },
  { name: "Last sign of life", number: true, cell: (one) => <Heartbeat at={one.last_activity} /> },
  { name: "Lease ends", number: true, cell: (one) => <Lease until={one.lease_expires_at} /> },
  { name: "Imported so far", number: true, cell: (one) => number(one.jobs_imported) },
];

function Heartbeat({ at }: { at: string }) {
  const quiet = (useSeconds() - Date.parse(at)) / 1000 > QUIET;
  return (
    <span className={quiet ? "warn" : undefined}>
      <Ago at={at} />
    </span>
  );
}

/** How much of the hour is left, as words and as a bar. */
function Lease({ until }: { until: string }) {
  const left = (Date.parse(until) - useSeconds()) / 1000;
  if (left <= 0) return <Badge tone="due">over</Badge>;
  return (
    <span className="lease">
      <time dateTime={until} title={new Date(until).toLocaleString()}>
        in {span(left < 60 ? left : Math.round(left / 60) * 60)}
      </time>
      <meter min={0} max={LEASE} value={left} aria-hidden="true" />
    </span>
  );
}

function waitingColumns(live: Session[]): Column<Waiting>[] {
  const holder = new Map(live.map((one) => [one.role_id, one.scraper_name]));
  return [
    { name: "Role", main: true, cell: (role) => role.name },
    {
      name: "State",
      cell: (role) => {
        const [word, tone] = ROLE[role.queue_status] ?? [role.queue_status, "plain"];
        const who = holder.get(role.id);
        return (
          <>
            <Badge tone={tone}>{word}</Badge>
            {who ? <span className="small faint"> by {who}</span> : null}
          </>
        );
      },
    },
    { name: "Priority", cell: (role) => <Badge tone={priorityTone(role.priority)}>{role.priority}</Badge> },
    { name: "Candidates", number: true, cell: (role) => number(role.candidate_count) },
    { name: "Since", number: true, cell: (role) => <Ago at={role.pending_since} /> },
    { name: "Last scraped", number: true, cell: (role) => <Ago at={role.last_scraped_at} /> },
  ];
}

function Done() {
  const done = useLive("done roles", (signal) =>
    ask("get", "/api/admin/roles", { query: { status: "completed", limit: 100 }, signal }),
  );
  if (!done.data) {
    return (
      <>
        <Problem text={done.problem} />
        <Loading problem={done.problem} />
      </>
    );
  }
  return done.data.roles.length ? (
    <Table name="Roles that are done" columns={DONE} rows={done.data.roles} id={(role) => role.id} />
  ) : (
    <Empty title="No role has been scraped yet.">
      <p>A role is done when a scraper has posted its jobs.</p>
    </Empty>
  );
}

const DONE: Column<Role>[] = [
  { name: "Role", main: true, cell: (role) => role.name },
  { name: "Priority", cell: (role) => <Badge tone={priorityTone(role.priority)}>{role.priority}</Badge> },
  { name: "Candidates", number: true, cell: (role) => number(role.candidate_count) },
  { name: "Jobs", number: true, cell: (role) => number(role.total_jobs_scraped) },
  { name: "Last scraped", number: true, cell: (role) => <Ago at={role.last_scraped_at} /> },
];
