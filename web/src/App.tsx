// The frame of every page: where one can go, whether the server is there, who is signed in.

import { type ComponentType, useEffect, useRef, useState } from "react";
import { useConnection } from "./connection";
import { ApiPage } from "./pages/Api";
import { DeadLetters } from "./pages/DeadLetters";
import { Decisions } from "./pages/Decisions";
import { HandIn } from "./pages/HandIn";
import { Keys } from "./pages/Keys";
import { Listings } from "./pages/Listings";
import { Queue } from "./pages/Queue";
import { Roles } from "./pages/Roles";
import { Scrapers } from "./pages/Scrapers";
import { SignIn } from "./pages/SignIn";
import { useRoute } from "./route";
import { type Proofs, signOut, useProofs } from "./session";

interface Place {
  route: string;
  name: string;
  group: string;
  page: ComponentType;
  /** Who may see it. */
  needs: "admin" | "admin or service" | "nothing";
}

const PLACES: Place[] = [
  { route: "queue", name: "Queue", group: "Scraping", page: Queue, needs: "admin" },
  { route: "scrapers", name: "Scrapers", group: "Scraping", page: Scrapers, needs: "admin" },
  { route: "roles", name: "Roles", group: "Scraping", page: Roles, needs: "admin" },
  { route: "decisions", name: "Decisions", group: "Scraping", page: Decisions, needs: "admin" },
  { route: "keys", name: "Keys", group: "Scraping", page: Keys, needs: "admin" },
  { route: "listings", name: "Listings", group: "Pages", page: Listings, needs: "admin or service" },
  { route: "hand-in", name: "Hand in", group: "Pages", page: HandIn, needs: "nothing" },
  { route: "dead-letters", name: "Dead letters", group: "Operation", page: DeadLetters, needs: "admin" },
  { route: "api", name: "API", group: "Operation", page: ApiPage, needs: "nothing" },
];

function mayEnter(place: Place, proofs: Proofs): boolean {
  if (place.needs === "nothing" || proofs.token) return true;
  return place.needs === "admin or service" && proofs.key !== null;
}

export function App() {
  const route = useRoute();
  const proofs = useProofs();
  const [open, setOpen] = useState(false);
  const place = PLACES.find((one) => one.route === route);
  const Page = place?.page;
  const entered = place && mayEnter(place, proofs);
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const title = place?.name ?? "Not found";

  // biome-ignore lint/correctness/useExhaustiveDependencies: another route is another page
  useEffect(() => {
    document.title = `${title} · Freshet`;
    setOpen(false);
    // The focus follows to the page that was chosen; at the start it belongs to the browser.
    if (first.current) first.current = false;
    else main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [route]);

  return (
    <>
      <a className="skip" href={`#/${route}`} onClick={(event) => skip(event, main.current)}>
        To the content
      </a>
      <header className="bar">
        <a className="brand" href="#/queue">
          <img src="/favicon.svg" alt="" width="24" height="24" />
          Freshet
        </a>
        <button
          type="button"
          className="menu"
          aria-expanded={open}
          aria-controls="places"
          onClick={() => setOpen(!open)}
        >
          Menu
        </button>
        <nav id="places" className={open ? "open" : undefined} aria-label="Pages">
          {[...new Set(PLACES.map((one) => one.group))].map((group) => (
            <div key={group} className="group">
              <p className="group-name">{group}</p>
              <ul>
                {PLACES.filter((one) => one.group === group).map((one) => (
                  <li key={one.route}>
                    <a
                      href={`#/${one.route}`}
                      aria-current={one.route === route ? "page" : undefined}
                      onClick={() => setOpen(false)}
                    >
                      {one.name}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
          <div className="foot">
            <Pulse />
            {proofs.token || proofs.key ? (
              <button type="button" className="quiet" onClick={signOut}>
                Sign out
              </button>
            ) : null}
          </div>
        </nav>
      </header>
      <main ref={main} tabIndex={-1}>
        <Away />
        {!place ? (
          <>
            <h1>Not found</h1>
            <p>
              There is no such page. <a href="#/queue">To the queue</a>
            </p>
          </>
        ) : entered && Page ? (
          <Page />
        ) : (
          <SignIn page={place.name} />
        )}
      </main>
    </>
  );
}

function skip(event: { preventDefault: () => void }, main: HTMLElement | null) {
  event.preventDefault();
  main?.focus();
}

function Pulse() {
  const { awaySince, lastAnswer } = useConnection();
  const [look, words] = awaySince
    ? ["away", "Server away"]
    : lastAnswer
      ? ["live", "Live"]
      : ["", "Connecting"];
  return (
    <p className="pulse">
      <span className={`dot ${look}`} aria-hidden="true" />
      {words}
    </p>
  );
}

/** What is on the screen is old: said once, at the top, with how old. */
function Away() {
  const { awaySince, lastAnswer } = useConnection();
  const time = (at: number) => new Date(at).toLocaleTimeString();
  return (
    <div role="status">
      {awaySince ? (
        <p className="away">
          <strong>Freshet does not answer</strong> since {time(awaySince)}.{" "}
          {lastAnswer ? `What you see is from ${time(lastAnswer)}.` : "Is it running?"} This page keeps
          trying.
        </p>
      ) : null}
    </div>
  );
}
