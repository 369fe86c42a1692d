// How every title came to its role, and the word of an admin when that was wrong.

import { useState } from "react";
import { ask, type Schemas } from "../ask";
import { pages, useLive } from "../live";
import { Confirm } from "../parts/Confirm";
import { RolePicker } from "../parts/RolePicker";
import { Badge, Empty, Loading, Notice, Problem, Section } from "../parts/small";
import { type Column, Table } from "../parts/Table";
import { METHOD } from "../parts/words";
import { Ago } from "../time";

type Decision = Schemas["DecisionView"];
type Role = Schemas["RoleView"];

export function Decisions() {
  const [count, setCount] = useState(1);
  const [open, setOpen] = useState<Decision | null>(null);
  const [notice, setNotice] = useState("");
  const live = useLive(`decisions ${count}`, (signal) =>
    pages(
      count,
      (cursor) =>
        ask("get", "/api/admin/role-decisions", {
          query: { limit: 50, ...(cursor ? { cursor } : {}) },
          signal,
        }),
      (page) => page.decisions,
    ),
  );
  return (
    <>
      <h1>Decisions</h1>
      <p className="lead">
        How each title came to its role. A correction is remembered for every title that is the same after
        cleaning.
      </p>
      <Problem text={live.problem} />
      <Notice text={notice} />
      <Section title="All decisions" note="The newest first.">
        {!live.data ? (
          <Loading problem={live.problem} />
        ) : live.data.rows.length ? (
          <>
            <Table name="Decisions" columns={columns(setOpen)} rows={live.data.rows} id={(one) => one.id} />
            {live.data.more ? (
              <button type="button" onClick={() => setCount(count + 1)}>
                Show older decisions
              </button>
            ) : null}
          </>
        ) : (
          <Empty title="Nothing was decided yet.">
            <p>
              A decision is written down when a candidate comes with <code>preferred_roles</code>.
            </p>
          </Empty>
        )}
      </Section>
      {open ? (
        <Correct
          decision={open}
          onClose={() => setOpen(null)}
          onDone={(words) => {
            setNotice(words);
            live.refresh();
          }}
        />
      ) : null}
    </>
  );
}

function columns(open: (decision: Decision) => void): Column<Decision>[] {
  return [
    {
      name: "Title",
      main: true,
      cell: (one) => (
        <>
          {one.title}
          <span className="under mono">{one.key}</span>
        </>
      ),
    },
    {
      name: "Role",
      cell: (one) => (
        <>
          {one.role_name ?? <span className="faint">gone</span>}
          {one.suggested_role_name ? (
            <span className="under hint">like {one.suggested_role_name}</span>
          ) : null}
        </>
      ),
    },
    {
      name: "How",
      cell: (one) => (
        <>
          <Badge tone={one.method === "correction" ? "accent" : one.method === "new" ? "due" : "plain"}>
            {METHOD[one.method] ?? one.method}
          </Badge>
          {one.corrected_by ? <span className="under">corrected by {one.corrected_by}</span> : null}
        </>
      ),
    },
    { name: "Score", number: true, cell: (one) => one.score.toFixed(2) },
    { name: "When", number: true, cell: (one) => <Ago at={one.at} /> },
    {
      name: "Actions",
      actions: true,
      cell: (one) => (
        <button type="button" className="small" aria-label={`Correct ${one.title}`} onClick={() => open(one)}>
          Correct …
        </button>
      ),
    },
  ];
}

interface Props {
  decision: Decision;
  onClose: () => void;
  onDone: (words: string) => void;
}

function Correct({ decision, onClose, onDone }: Props) {
  const [role, setRole] = useState<Role | null>(null);
  return (
    <Confirm
      title={`Where does “${decision.title}” belong?`}
      deed={role ? `It is “${role.name}”` : "Correct it"}
      disabled={!role}
      onClose={onClose}
      act={async () => {
        if (!role) return;
        await ask("post", "/api/admin/role-decisions/{id}/correct", {
          path: { id: decision.id },
          body: { role_id: role.id },
        });
        onDone(`“${decision.title}” leads to “${role.name}” now.`);
      }}
    >
      <RolePicker
        label="The right role"
        except={decision.role_id ?? undefined}
        chosen={role}
        onChoose={setRole}
      />
      <p className="faint small">
        Every title that is <code>{decision.key}</code> after cleaning leads there from now on. Candidates who
        came by this title go along{decision.role_name ? ` and leave “${decision.role_name}”` : ""}.
      </p>
    </Confirm>
  );
}
