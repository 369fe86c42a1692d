// Finds one role by a part of its name.

import { useEffect, useId, useState } from "react";
import { ask, type Schemas, told } from "../ask";
import { counted } from "../time";
import { Problem } from "./small";

type Role = Schemas["RoleView"];

interface Props {
  label: string;
  /** Not offered: the one that is to be merged. */
  except?: number | undefined;
  chosen: Role | null;
  onChoose: (role: Role | null) => void;
}

export function RolePicker({ label, except, chosen, onChoose }: Props) {
  const [text, setText] = useState("");
  const [found, setFound] = useState<Role[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const id = useId();

  useEffect(() => {
    const stop = new AbortController();
    const timer = window.setTimeout(async () => {
      try {
        const page = await ask("get", "/api/admin/roles", {
          query: { q: text, limit: 8 },
          signal: stop.signal,
        });
        setFound(page.roles.filter((role) => role.id !== except));
        setProblem(null);
      } catch (error) {
        if (!stop.signal.aborted) setProblem(told(error));
      }
    }, 200);
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [text, except]);

  if (chosen) {
    return (
      <div className="picked">
        <span>
          <span className="faint small">{label}</span>
          <br />
          <strong>{chosen.name}</strong>
        </span>
        <button type="button" className="small" onClick={() => onChoose(null)}>
          Choose another
        </button>
      </div>
    );
  }
  return (
    <div className="picker">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="search"
        placeholder="Part of a role's name"
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Problem text={problem} />
      <ul aria-label="Roles found">
        {found?.map((role) => (
          <li key={role.id}>
            <button type="button" onClick={() => onChoose(role)}>
              <span className="strong">{role.name}</span>
              <span className="faint small">{counted(role.candidate_count, "candidate")}</span>
            </button>
          </li>
        ))}
      </ul>
      {found?.length === 0 ? <p className="faint small">No role has this in its name.</p> : null}
    </div>
  );
}
