// Listings, and why each is in the state it is in.

import { useState } from "react";
import { ask, type Schemas } from "../ask";
import { pages, useLive } from "../live";
import { Badge, Choice, Empty, Figure, Loading, Outside, Problem, Section, type Tone } from "../parts/small";
import { Ago, number } from "../time";

type Listing = Schemas["Listing"];
type Evidence = Schemas["Evidence"];
type Which = "" | "true" | "false";

const REASONS: Record<string, string> = {
  closed_notice: "the posting says so",
  http_404: "page not found (404)",
  http_410: "page removed (410)",
};
const RULES: Record<string, string> = {
  live: "the posting is on its page",
  scraper_import: "a scraper posted it",
  closed_notice: "the posting's own text says it is closed",
  not_modified: "the site says its page has not changed",
  identical_bytes: "the page is the same, byte for byte",
  http_404: "the site answered 404",
  http_410: "the site answered 410",
  valid_through_passed: "the posting is past its own date",
  bot_wall: "the site showed a bot check, not the page",
  identity_lost: "the address led to something else",
  list_page: "the page is a list",
  no_posting: "no posting could be read",
  too_complex: "the page is over our limits",
};

/** What /health says; its answer has no description. */
interface Health {
  data: {
    version: string;
    tasks: { pending: number; processing: number; ended_last_hour: number };
    listings: { active: number; closed: number };
    dead_letters: number;
  };
}

export function Listings() {
  const [which, setWhich] = useState<Which>("");
  const [count, setCount] = useState(1);
  const [open, setOpen] = useState<string | null>(null);
  const health = useLive("health", async (signal) => (await ask("get", "/health", { signal })) as Health);
  const live = useLive(`listings ${which} ${count}`, (signal) =>
    pages(
      count,
      (cursor) =>
        ask("get", "/api/listings", {
          query: { limit: 25, ...(which ? { active: which === "true" } : {}), ...(cursor ? { cursor } : {}) },
          signal,
        }),
      (page) => page.listings,
    ),
  );
  const figures = health.data?.data;
  const shown = (value: number | undefined) => (value === undefined ? "–" : number(value));
  return (
    <>
      <h1>Listings</h1>
      <p className="lead">
        Each was fetched politely, read into a record, and is kept with the evidence for what is said of it.
      </p>
      <Problem text={live.problem ?? health.problem} />
      <dl className="figures" aria-label="Figures">
        <Figure name="Open listings" value={shown(figures?.listings.active)} />
        <Figure name="Closed listings" value={shown(figures?.listings.closed)} />
        <Figure
          name="Tasks waiting"
          value={shown(figures?.tasks.pending)}
          more={figures ? `${number(figures.tasks.processing)} under way` : null}
        />
        <Figure name="Ended last hour" value={shown(figures?.tasks.ended_last_hour)} />
      </dl>
      <Section
        title="Newest listings"
        side={
          <Choice
            name="Which listings"
            value={which}
            onChange={setWhich}
            options={[
              ["", "All"],
              ["true", "Open"],
              ["false", "Closed"],
            ]}
          />
        }
      >
        {!live.data ? (
          <Loading problem={live.problem} />
        ) : live.data.rows.length ? (
          <>
            <ul className={live.waiting ? "listings dim" : "listings"}>
              {live.data.rows.map((listing) => (
                <Row
                  key={listing.id}
                  listing={listing}
                  open={open === listing.id}
                  onToggle={() => setOpen(open === listing.id ? null : listing.id)}
                />
              ))}
            </ul>
            {live.data.more ? (
              <button type="button" onClick={() => setCount(count + 1)}>
                Show older listings
              </button>
            ) : null}
          </>
        ) : (
          <Empty title={which ? "No listing is like that." : "There is no listing yet."}>
            <p>
              <a href="#/hand-in">Hand in the address of a posting</a>, or let a scraper post its jobs.
            </p>
          </Empty>
        )}
      </Section>
    </>
  );
}

function state(listing: Listing): [string, Tone, string] {
  if (!listing.is_active) {
    const why = listing.close_reason ?? "";
    return ["closed", "closed", REASONS[why] ?? why];
  }
  if (listing.verification_status === "nominated") return ["check due", "due", ""];
  if (listing.verification_status === "unverifiable") return ["unverifiable", "due", ""];
  return ["live", "live", ""];
}

interface Place {
  city?: string | null;
  state_region?: string | null;
  country?: string | null;
  raw?: string | null;
}

function place(listing: Listing): string {
  const at = (listing.place ?? {}) as Place;
  const parts = at.raw || [at.city, at.state_region, at.country].filter(Boolean).join(", ");
  const remote = listing.remote === "remote" || listing.remote === "hybrid" ? listing.remote : "";
  return [parts, remote].filter(Boolean).join(" · ") || "place unknown";
}

function Row({ listing, open, onToggle }: { listing: Listing; open: boolean; onToggle: () => void }) {
  const [word, tone, why] = state(listing);
  const id = `listing-${listing.id}`;
  return (
    <li>
      <div className="listing">
        <button type="button" className="toggle" aria-expanded={open} aria-controls={id} onClick={onToggle}>
          <span className="strong">{listing.title}</span>
          <span className="faint small">
            {listing.company ?? "company unknown"} · {place(listing)}
          </span>
        </button>
        <span className="state">
          <Badge tone={tone}>{word}</Badge>
          {why ? <span className="small faint"> {why}</span> : null}
        </span>
        <span className="seen small faint">
          seen <Ago at={listing.last_seen_at} />
        </span>
      </div>
      <div id={id} hidden={!open}>
        {open ? <Detail listing={listing} /> : null}
      </div>
    </li>
  );
}

function Detail({ listing }: { listing: Listing }) {
  const found = useLive(
    `evidence ${listing.id} ${listing.last_seen_at}`,
    (signal) =>
      ask("get", "/api/listings/{id}/evidence", { path: { id: listing.id }, query: { limit: 100 }, signal }),
    15_000,
  );
  const facts = [
    listing.employment_type.join(", ").replaceAll("_", " ").toLowerCase(),
    listing.salary_text,
    listing.date_posted && `posted ${listing.date_posted}`,
    listing.valid_through && `valid until ${listing.valid_through}`,
    `seen ${number(listing.times_seen)} ${listing.times_seen === 1 ? "time" : "times"}`,
  ].filter(Boolean);
  return (
    <div className="detail">
      <p>{facts.join(" · ")}</p>
      <p className="small">
        <Outside href={listing.url} />
      </p>
      <h3>Evidence</h3>
      <Problem text={found.problem} />
      {!found.data ? (
        <Loading problem={found.problem} />
      ) : (
        <ol className="line" aria-label="Evidence">
          {found.data.evidence.map((item) => (
            <Item key={item.id} item={item} />
          ))}
        </ol>
      )}
      {found.data?.next_cursor ? (
        <p className="small faint">More evidence than fits here; the API has the rest.</p>
      ) : null}
    </div>
  );
}

function Item({ item }: { item: Evidence }) {
  const tone = item.event === "closed" ? "closed" : item.event === "nominated" ? "due" : "live";
  const detail = (item.detail ?? {}) as { fields_changed?: unknown };
  const more = [
    item.http_status && `HTTP ${item.http_status}`,
    item.verdict_code && item.verdict_code !== item.rule && `verdict ${item.verdict_code}`,
    detail.fields_changed && "its fields changed",
    item.extractor_version && `read by ${item.extractor_version}`,
  ].filter(Boolean);
  return (
    <li className={tone}>
      <strong>{item.event}</strong>: {RULES[item.rule] ?? item.rule}, <Ago at={item.at} />
      <div className="small faint">
        {more.join(" · ")}
        {item.final_url ? (
          <>
            {more.length ? " · " : ""}
            <Outside href={item.final_url} />
          </>
        ) : null}
      </div>
    </li>
  );
}
