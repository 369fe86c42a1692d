// What each scraper brought, what was imported over time, and how every session ended.

import { useState } from "react";
import { ask, type Schemas } from "../ask";
import { pages, useLive } from "../live";
import { Badge, Choice, Empty, Figure, Loading, Problem, Section } from "../parts/small";
import { type Column, Table } from "../parts/Table";
import { oneOf, SESSION, SESSION_STATES, type SessionState } from "../parts/words";
import { Ago, number, span } from "../time";
import { ImportChart } from "./ImportChart";

type Scraper = Schemas["ScraperStats"];
type Session = Schemas["SessionView"];
type Hours = "24" | "168" | "720";

const RANGES: [Hours, string][] = [
  ["24", "24 hours"],
  ["168", "7 days"],
  ["720", "30 days"],
];

export function Scrapers() {
  const [hours, setHours] = useState<Hours>("24");
  const stats = useLive(
    `stats ${hours}`,
    (signal) => ask("get", "/api/scraper-monitoring/stats", { query: { hours: Number(hours) }, signal }),
    8000,
  );
  const imports = useLive(
    `imports ${hours}`,
    (signal) => ask("get", "/api/scraper-monitoring/imports", { query: { hours: Number(hours) }, signal }),
    8000,
  );
  const totals = stats.data?.totals;
  return (
    <>
      <div className="page-head">
        <div>
          <h1>Scrapers</h1>
          <p className="lead">What each scraper found, and what of it was new.</p>
        </div>
        <Choice name="How far back" value={hours} options={RANGES} onChange={setHours} />
      </div>
      <Problem text={stats.problem ?? imports.problem} />
      <dl className={stats.waiting ? "figures dim" : "figures"} aria-label="Figures">
        <Figure
          name="Working now"
          value={stats.data ? number(stats.data.active_scrapers) : "–"}
          more="in the last 10 min"
        />
        <Figure name="Sessions completed" value={totals ? number(totals.total_sessions) : "–"} />
        <Figure
          name="Jobs imported"
          value={totals ? number(totals.jobs_imported) : "–"}
          more={totals ? `of ${number(totals.jobs_found)} found` : null}
        />
        <Figure
          name="Mean duration"
          value={totals?.total_sessions ? span(totals.avg_duration_seconds) : "–"}
        />
      </dl>

      <Section title="Imports over time" note="New jobs of completed sessions, by scraper.">
        {!imports.data ? (
          <Loading problem={imports.problem} />
        ) : imports.data.imports.length ? (
          <ImportChart data={imports.data} dim={imports.waiting} />
        ) : (
          <Empty title="Nothing was imported in this time.">
            <p>
              Choose a longer time above, or see in the <a href="#/queue">queue</a> whether roles wait.
            </p>
          </Empty>
        )}
      </Section>

      <Section title="By scraper">
        {!stats.data ? (
          <Loading problem={stats.problem} />
        ) : stats.data.per_scraper.length ? (
          <Table
            name="Scrapers"
            columns={SCRAPERS}
            rows={stats.data.per_scraper}
            id={(one) => one.scraper_key_id}
            waiting={stats.waiting}
          />
        ) : (
          <Empty title="No scraper was at work in this time.">
            <p>
              <a href="#/keys">Make a key</a>, give it to a scraper, and it appears here with its first
              session.
            </p>
          </Empty>
        )}
      </Section>

      <Sessions hours={hours} scrapers={stats.data?.per_scraper ?? []} />
    </>
  );
}

/** Of the sessions that have ended, how many brought their jobs. */
function successRate(one: Scraper): string {
  const ended = one.session_count - one.sessions_in_progress;
  return ended ? `${Math.round((100 * one.sessions_completed) / ended)} %` : "–";
}

const SCRAPERS: Column<Scraper>[] = [
  { name: "Scraper", main: true, cell: (one) => one.scraper_name },
  {
    name: "Sessions",
    number: true,
    cell: (one) => (
      <>
        {number(one.session_count)}
        {one.sessions_in_progress ? (
          <span className="faint small"> ({one.sessions_in_progress} live)</span>
        ) : null}
      </>
    ),
  },
  { name: "Found", number: true, cell: (one) => number(one.jobs_found) },
  { name: "Imported", number: true, cell: (one) => <strong>{number(one.jobs_imported)}</strong> },
  { name: "Skipped", number: true, cell: (one) => number(one.jobs_skipped) },
  { name: "Success", number: true, cell: successRate },
  {
    name: "Mean time",
    number: true,
    cell: (one) => (typeof one.avg_duration_seconds === "number" ? span(one.avg_duration_seconds) : "–"),
  },
  { name: "Last role", cell: (one) => one.last_role ?? "–" },
  { name: "Last use", number: true, cell: (one) => <Ago at={one.last_activity} /> },
];

function Sessions({ hours, scrapers }: { hours: Hours; scrapers: Scraper[] }) {
  const [status, setStatus] = useState<SessionState | "">("");
  const [key, setKey] = useState("");
  const [count, setCount] = useState(1);
  const live = useLive(
    `sessions ${hours} ${status} ${key} ${count}`,
    (signal) =>
      pages(
        count,
        (cursor) =>
          ask("get", "/api/scraper-monitoring/sessions", {
            query: {
              hours: Number(hours),
              limit: 25,
              ...(status ? { status } : {}),
              ...(key ? { scraper_key_id: Number(key) } : {}),
              ...(cursor ? { cursor } : {}),
            },
            signal,
          }),
        (page) => page.sessions,
      ),
    8000,
  );
  const filtered = status !== "" || key !== "";
  return (
    <Section
      title="Sessions"
      note="The newest first."
      side={
        <div className="filters">
          <label>
            <span>Scraper</span>
            <select value={key} onChange={(event) => setKey(event.target.value)}>
              <option value="">all</option>
              {scrapers.map((one) => (
                <option key={one.scraper_key_id} value={one.scraper_key_id}>
                  {one.scraper_name}
                </option>
              ))}
            </select>
          </label>
          <label>
            <span>State</span>
            <select
              value={status}
              onChange={(event) => setStatus(oneOf(SESSION_STATES, event.target.value) ?? "")}
            >
              <option value="">all</option>
              {SESSION_STATES.map((word) => (
                <option key={word} value={word}>
                  {SESSION[word]?.[0] ?? word}
                </option>
              ))}
            </select>
          </label>
        </div>
      }
    >
      <Problem text={live.problem} />
      {!live.data ? (
        <Loading problem={live.problem} />
      ) : live.data.rows.length ? (
        <>
          <Table
            name="Sessions"
            columns={SESSIONS}
            rows={live.data.rows}
            id={(one) => one.session_id}
            waiting={live.waiting}
          />
          {live.data.more ? (
            <button type="button" onClick={() => setCount(count + 1)}>
              Show older sessions
            </button>
          ) : null}
        </>
      ) : (
        <Empty title={filtered ? "No session is like that." : "No session in this time."}>
          <p>{filtered ? "Choose other filters, or a longer time above." : "Choose a longer time above."}</p>
        </Empty>
      )}
    </Section>
  );
}

const SESSIONS: Column<Session>[] = [
  {
    name: "Role",
    main: true,
    cell: (one) => (
      <>
        {one.role_name}
        {one.error_message ? <span className="under">{one.error_message}</span> : null}
      </>
    ),
  },
  { name: "Scraper", cell: (one) => one.scraper_name },
  {
    name: "State",
    cell: (one) => {
      const [word, tone] = SESSION[one.status] ?? [one.status, "plain"];
      return <Badge tone={tone}>{word}</Badge>;
    },
  },
  { name: "Found", number: true, cell: (one) => number(one.jobs_found) },
  { name: "Imported", number: true, cell: (one) => number(one.jobs_imported) },
  { name: "Skipped", number: true, cell: (one) => number(one.jobs_skipped) },
  {
    name: "Took",
    number: true,
    cell: (one) => (typeof one.duration_seconds === "number" ? span(one.duration_seconds) : "–"),
  },
  { name: "Started", number: true, cell: (one) => <Ago at={one.started_at} /> },
];
