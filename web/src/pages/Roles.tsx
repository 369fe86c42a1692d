// Roles: found, put first, let wait again, and made one of two.

import { useEffect, useState } from "react";
import { ask, type Schemas, told } from "../ask";
import { pages, useLive } from "../live";
import { Confirm } from "../parts/Confirm";
import { RolePicker } from "../parts/RolePicker";
import { Badge, Empty, Loading, Notice, Problem, RowButton, Section } from "../parts/small";
import { type Column, Table } from "../parts/Table";
import { oneOf, PRIORITIES, type Priority, ROLE, ROLE_STATES, type RoleState } from "../parts/words";
import { Ago, counted, number } from "../time";

type Role = Schemas["RoleView"];
type Open = { what: "make" } | { what: "merge" | "requeue"; role: Role } | null;

export function Roles() {
  const [text, setText] = useState("");
  const q = useSettled(text.trim());
  const [status, setStatus] = useState<RoleState | "">("");
  const [count, setCount] = useState(1);
  const [open, setOpen] = useState<Open>(null);
  const [notice, setNotice] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const close = () => setOpen(null);
  const roles = useLive(`roles ${status} ${count} ${q}`, (signal) =>
    pages(
      count,
      (cursor) =>
        ask("get", "/api/admin/roles", {
          query: {
            limit: 50,
            ...(q ? { q } : {}),
            ...(status ? { status } : {}),
            ...(cursor ? { cursor } : {}),
          },
          signal,
        }),
      (page) => page.roles,
    ),
  );

  async function prioritise(role: Role, to: string) {
    const priority = oneOf(PRIORITIES, to);
    if (!priority) return;
    try {
      await ask("post", "/api/admin/roles/{id}/priority", { path: { id: role.id }, body: { priority } });
      setProblem(null);
      setNotice(`“${role.name}” has priority ${priority} now.`);
    } catch (error) {
      setProblem(told(error));
    }
    roles.refresh();
  }

  function done(words: string) {
    setProblem(null);
    setNotice(words);
    roles.refresh();
  }

  const filtered = q !== "" || status !== "";
  return (
    <>
      <div className="page-head">
        <div>
          <h1>Roles</h1>
          <p className="lead">
            One role stands for all spellings of a title; it is scraped once for everybody who wants it.
          </p>
        </div>
        <button type="button" className="main" onClick={() => setOpen({ what: "make" })}>
          New role
        </button>
      </div>
      <Problem text={problem ?? roles.problem} />
      <Notice text={notice} />
      <Section
        title="All roles"
        note="The newest first."
        side={
          <div className="filters">
            <label>
              <span>Search</span>
              <input
                type="search"
                value={text}
                placeholder="Part of the name"
                autoComplete="off"
                onChange={(event) => setText(event.target.value)}
              />
            </label>
            <label>
              <span>State</span>
              <select
                value={status}
                onChange={(event) => setStatus(oneOf(ROLE_STATES, event.target.value) ?? "")}
              >
                <option value="">all</option>
                {ROLE_STATES.map((word) => (
                  <option key={word} value={word}>
                    {ROLE[word]?.[0] ?? word}
                  </option>
                ))}
              </select>
            </label>
          </div>
        }
      >
        {!roles.data ? (
          <Loading problem={roles.problem} />
        ) : roles.data.rows.length ? (
          <>
            <Table
              name="Roles"
              columns={columns(setOpen, prioritise)}
              rows={roles.data.rows}
              id={(role) => role.id}
              waiting={roles.waiting}
            />
            {roles.data.more ? (
              <button type="button" onClick={() => setCount(count + 1)}>
                Show older roles
              </button>
            ) : null}
          </>
        ) : filtered ? (
          <Empty title="No role is like that.">
            <p>Search for a shorter part of the name, or choose another state.</p>
          </Empty>
        ) : (
          <Empty title="There is no role yet.">
            <p>
              They come from what candidates want (<code>POST /api/candidates</code> with{" "}
              <code>preferred_roles</code>), or make one with “New role”.
            </p>
          </Empty>
        )}
      </Section>
      {open?.what === "make" ? <Make onClose={close} onDone={done} /> : null}
      {open?.what === "merge" ? <Merge role={open.role} onClose={close} onDone={done} /> : null}
      {open?.what === "requeue" ? (
        <Confirm
          title={`Scrape “${open.role.name}” again?`}
          deed="Requeue it"
          onClose={close}
          act={async () => {
            await ask("post", "/api/admin/roles/{id}/requeue", { path: { id: open.role.id } });
            done(`“${open.role.name}” waits again.`);
          }}
        >
          <p>
            {open.role.queue_status === "processing"
              ? "Somebody is scraping it. Their session ends as given back, and the role waits for the next scraper."
              : "It waits in the queue again, for the next scraper that asks."}
          </p>
        </Confirm>
      ) : null}
    </>
  );
}

function columns(open: (what: Open) => void, prioritise: (role: Role, to: string) => void): Column<Role>[] {
  return [
    {
      name: "Role",
      main: true,
      cell: (role) => (
        <>
          {role.name}
          {role.aliases.length ? <span className="under">also {shortened(role.aliases)}</span> : null}
          {role.suggested_role_name ? (
            <span className="under hint">
              may be the same as {role.suggested_role_name}
              {typeof role.suggested_score === "number"
                ? ` (${Math.round(role.suggested_score * 100)}\u00a0%)`
                : ""}
            </span>
          ) : null}
        </>
      ),
    },
    {
      name: "State",
      cell: (role) => {
        const [word, tone] = ROLE[role.queue_status] ?? [role.queue_status, "plain"];
        return <Badge tone={tone}>{word}</Badge>;
      },
    },
    {
      name: "Priority",
      cell: (role) => (
        <select
          className="small"
          aria-label={`Priority of ${role.name}`}
          value={role.priority}
          onChange={(event) => prioritise(role, event.target.value)}
        >
          {PRIORITIES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      ),
    },
    { name: "Candidates", number: true, cell: (role) => number(role.candidate_count) },
    { name: "Jobs", number: true, cell: (role) => number(role.total_jobs_scraped) },
    { name: "Last scraped", number: true, cell: (role) => <Ago at={role.last_scraped_at} /> },
    {
      name: "Actions",
      actions: true,
      cell: (role) => (
        <div className="buttons">
          {role.queue_status === "pending" ? null : (
            <RowButton deed="Requeue" of={role.name} onClick={() => open({ what: "requeue", role })} />
          )}
          <RowButton deed="Merge" more of={role.name} onClick={() => open({ what: "merge", role })} />
        </div>
      ),
    },
  ];
}

function shortened(names: string[]): string {
  const first = names.slice(0, 3).join(", ");
  return names.length > 3 ? `${first} and ${names.length - 3} more` : first;
}

interface FormProps {
  onClose: () => void;
  onDone: (words: string) => void;
}

function Make({ onClose, onDone }: FormProps) {
  const [name, setName] = useState("");
  const [priority, setPriority] = useState<Priority>("normal");
  return (
    <Confirm
      title="New role"
      deed="Make the role"
      onClose={onClose}
      act={async () => {
        const role = await ask("post", "/api/admin/roles", { body: { name, priority } });
        onDone(`“${name}” is the role “${role.name}”.`);
      }}
    >
      <label>
        <span>Title</span>
        <input value={name} maxLength={255} required onChange={(event) => setName(event.target.value)} />
      </label>
      <p className="faint small">
        It is cleaned first: a title that leads to a role that is there makes no second one.
      </p>
      <label>
        <span>Priority</span>
        <select
          value={priority}
          onChange={(event) => setPriority(oneOf(PRIORITIES, event.target.value) ?? priority)}
        >
          {PRIORITIES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
    </Confirm>
  );
}

/** Two roles become one: which, and what goes where, before anything happens. */
function Merge({ role, onClose, onDone }: FormProps & { role: Role }) {
  const [other, setOther] = useState<Role | null>(null);
  const [swapped, setSwapped] = useState(false);
  const suggested = role.suggested_role_id;

  useEffect(() => {
    if (typeof suggested !== "number") return;
    const stop = new AbortController();
    ask("get", "/api/admin/roles/{id}", { path: { id: suggested }, signal: stop.signal })
      .then((found) => setOther((chosen) => chosen ?? found))
      .catch(() => {
        // It is gone, or the server is: the person may still choose.
      });
    return () => stop.abort();
  }, [suggested]);

  const [goes, stays] = swapped && other ? [other, role] : [role, other];
  return (
    <Confirm
      title={`Merge “${role.name}”`}
      deed={stays ? `Merge into “${stays.name}”` : "Merge"}
      danger
      disabled={!stays}
      onClose={onClose}
      act={async () => {
        if (!stays) return;
        await ask("post", "/api/admin/roles/{id}/merge", { path: { id: goes.id }, body: { into: stays.id } });
        onDone(`“${goes.name}” is part of “${stays.name}” now.`);
      }}
    >
      <RolePicker label="The other role" except={role.id} chosen={other} onChoose={setOther} />
      {stays ? (
        <>
          <div className="moves">
            <p>
              <strong>{goes.name}</strong> goes. To <strong>{stays.name}</strong> move:
            </p>
            <ul>
              <li>
                {counted(goes.candidate_count, "candidate")} linked to it (one who is linked to both counts
                once)
              </li>
              <li>
                {counted(goes.aliases.length + 1, "name")}: {shortened([goes.name, ...goes.aliases])}
              </li>
              <li>{counted(goes.total_jobs_scraped, "job")} that were scraped for it, with their matches</li>
              <li>its sessions and decisions; the same title leads to “{stays.name}” from now on</li>
            </ul>
            <p>This cannot be undone.</p>
          </div>
          <button type="button" className="small" onClick={() => setSwapped(!swapped)}>
            Keep “{goes.name}” instead
          </button>
        </>
      ) : null}
    </Confirm>
  );
}

/** What was typed, once the typing rests. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), 250);
    return () => window.clearTimeout(timer);
  }, [text]);
  return settled;
}
