// The keys of external scrapers: made, rotated and revoked here. A secret is shown once and never kept.

import { useId, useState } from "react";
import { ask, type Schemas } from "../ask";
import { useLive } from "../live";
import { Confirm } from "../parts/Confirm";
import { Dialog } from "../parts/Dialog";
import { Badge, Empty, Loading, Notice, Problem, RowButton, Section, type Tone } from "../parts/small";
import { type Column, Table } from "../parts/Table";
import { Ago, number } from "../time";

type Key = Schemas["KeyView"];
type Shown = Schemas["ShownKey"];
type Open = { what: "make" } | { what: "rotate" | "revoke"; key: Key } | null;

export function Keys() {
  const keys = useLive("keys", (signal) => ask("get", "/api/admin/scraper-keys", { signal }));
  const [open, setOpen] = useState<Open>(null);
  const [shown, setShown] = useState<Shown | null>(null);
  const [notice, setNotice] = useState("");
  const close = () => setOpen(null);

  function show(shown: Shown) {
    setNotice("");
    setShown(shown);
    keys.refresh();
  }

  return (
    <>
      <div className="page-head">
        <div>
          <h1>Keys</h1>
          <p className="lead">
            Each scraper has a key of its own. It sends it as <code>X-Scraper-API-Key</code>.
          </p>
        </div>
        <button type="button" className="main" onClick={() => setOpen({ what: "make" })}>
          New key
        </button>
      </div>
      <Problem text={keys.problem} />
      <Notice text={notice} />
      <Section title="All keys">
        {!keys.data ? (
          <Loading problem={keys.problem} />
        ) : keys.data.keys.length ? (
          <Table name="Keys" columns={columns(setOpen)} rows={keys.data.keys} id={(key) => key.id} />
        ) : (
          <Empty title="There is no key yet.">
            <p>Make one for each scraper; docs/scrapers.md shows what a scraper does with it.</p>
          </Empty>
        )}
      </Section>
      {open?.what === "make" ? <Make onClose={close} onMade={show} /> : null}
      {open?.what === "rotate" ? <Rotate of={open.key} onClose={close} onMade={show} /> : null}
      {shown ? <ShowOnce shown={shown} onClose={() => setShown(null)} /> : null}
      {open?.what === "revoke" ? (
        <Confirm
          title={`Revoke “${open.key.name}”?`}
          deed="Revoke this key"
          danger
          onClose={close}
          act={async () => {
            await ask("post", "/api/admin/scraper-keys/{id}/revoke", { path: { id: open.key.id } });
            setNotice(`“${open.key.name}” is revoked.`);
            keys.refresh();
          }}
        >
          <p>
            Scrapers with the key <code>{open.key.shown}</code> are turned away at once. What they hold is
            handed to others when its lease ends. This cannot be undone; the name may be used for a new key.
          </p>
        </Confirm>
      ) : null}
    </>
  );
}

function state(key: Key): [string, Tone] {
  if (key.revoked_at) return ["revoked", "closed"];
  if (!key.is_active) return ["expired", "due"];
  return key.live_secrets > 1 ? ["active, rotating", "accent"] : ["active", "live"];
}

function columns(open: (what: Open) => void): Column<Key>[] {
  return [
    {
      name: "Name",
      main: true,
      cell: (key) => (
        <>
          {key.name}
          <span className="under mono">{key.shown}</span>
        </>
      ),
    },
    {
      name: "State",
      cell: (key) => {
        const [word, tone] = state(key);
        return <Badge tone={tone}>{word}</Badge>;
      },
    },
    { name: "Sources", cell: (key) => key.allowed_sources?.join(", ") ?? <span className="faint">all</span> },
    { name: "Requests", number: true, cell: (key) => number(key.usage_count) },
    { name: "Last use", number: true, cell: (key) => <Ago at={key.last_used_at} /> },
    { name: "Expires", number: true, cell: (key) => <Ago at={key.expires_at} /> },
    {
      name: "Actions",
      actions: true,
      cell: (key) =>
        key.revoked_at ? null : (
          <div className="buttons">
            <RowButton deed="Rotate" of={key.name} onClick={() => open({ what: "rotate", key })} />
            <RowButton deed="Revoke" of={key.name} bad onClick={() => open({ what: "revoke", key })} />
          </div>
        ),
    },
  ];
}

const DAY = 86_400_000;
const LASTS: [string, string][] = [
  ["", "never"],
  ["30", "in 30 days"],
  ["90", "in 90 days"],
  ["365", "in a year"],
];

function end(days: string): string | null {
  return days ? new Date(Date.now() + Number(days) * DAY).toISOString() : null;
}

function ExpiryField({ value, onChange }: { value: string; onChange: (days: string) => void }) {
  return (
    <label>
      <span>Expires</span>
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {LASTS.map(([days, words]) => (
          <option key={days} value={days}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FormProps {
  onClose: () => void;
  onMade: (shown: Shown) => void;
}

function Make({ onClose, onMade }: FormProps) {
  const [name, setName] = useState("");
  const [sources, setSources] = useState("");
  const [days, setDays] = useState("");
  const hint = useId();
  return (
    <Confirm
      title="New key"
      deed="Make the key"
      onClose={onClose}
      act={async () => {
        const list = sources.split(/[\s,]+/).filter(Boolean);
        const body = { name, allowed_sources: list.length ? list : null, expires_at: end(days) };
        onMade(await ask("post", "/api/admin/scraper-keys", { body }));
      }}
    >
      <label>
        <span>Name</span>
        <input value={name} maxLength={100} required onChange={(event) => setName(event.target.value)} />
      </label>
      <label>
        <span>Sources it may import from</span>
        <input
          value={sources}
          placeholder="all"
          autoComplete="off"
          spellCheck={false}
          aria-describedby={hint}
          onChange={(event) => setSources(event.target.value)}
        />
      </label>
      <p id={hint} className="faint small">
        Platforms with commas between them, such as <code>dice, indeed</code>. Leave it empty for all.
      </p>
      <ExpiryField value={days} onChange={setDays} />
    </Confirm>
  );
}

function Rotate({ of, onClose, onMade }: FormProps & { of: Key }) {
  const [grace, setGrace] = useState("24");
  const [days, setDays] = useState("");
  return (
    <Confirm
      title={`Rotate “${of.name}”`}
      deed="Make a new secret"
      onClose={onClose}
      act={async () => {
        const body = { grace_hours: Number(grace), expires_at: end(days) };
        onMade(await ask("post", "/api/admin/scraper-keys/{id}/rotate", { path: { id: of.id }, body }));
      }}
    >
      <p>
        The key gets another secret. The present one opens a while longer, so that you can change it in peace.
      </p>
      <label>
        <span>The present secret opens for (hours, 0 to 720)</span>
        <input
          type="number"
          min={0}
          max={720}
          required
          value={grace}
          onChange={(event) => setGrace(event.target.value)}
        />
      </label>
      <ExpiryField value={days} onChange={setDays} />
    </Confirm>
  );
}

function ShowOnce({ shown, onClose }: { shown: Shown; onClose: () => void }) {
  const [copied, setCopied] = useState("");
  async function copy() {
    try {
      await navigator.clipboard.writeText(shown.api_key);
      setCopied("Copied.");
    } catch {
      // Not over plain http from another machine, and not when the browser was told not to.
      setCopied("The browser does not allow copying here; select the key and copy it.");
    }
  }
  return (
    <Dialog title={`The secret of “${shown.key.name}”`} onClose={onClose} firm>
      <p>Copy it now. It is not kept anywhere and will not be shown again.</p>
      <p>
        <output className="secret mono" aria-label="Secret">
          {shown.api_key}
        </output>
      </p>
      <Notice text={copied} />
      <div className="buttons">
        <button type="button" className="main" onClick={copy}>
          Copy
        </button>
        <button type="button" onClick={onClose}>
          I have it
        </button>
      </div>
    </Dialog>
  );
}
