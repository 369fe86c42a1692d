// Addresses handed in to the scrape service, and what becomes of them. This needs a service key: it is what a
// backend does.

import { useState } from "react";
import { ask, stopped, told } from "../ask";
import { useLive } from "../live";
import { Confirm } from "../parts/Confirm";
import { Badge, Outside, Problem, Section, type Tone } from "../parts/small";
import { takeServiceKey, useProofs } from "../session";
import { number } from "../time";

type Kind = "job_posting" | "company_website" | "linkedin_profile" | "apartment";

const KINDS: [Kind, string][] = [
  ["job_posting", "job posting"],
  ["company_website", "company website"],
  ["linkedin_profile", "LinkedIn profile"],
  ["apartment", "apartment"],
];
const LOOKS: Record<string, Tone> = {
  queued: "plain",
  running: "accent",
  completed: "live",
  partially_completed: "due",
  failed: "closed",
  cancelled: "closed",
};
const OVER = ["completed", "partially_completed", "failed", "cancelled"];

export function HandIn() {
  const { key } = useProofs();
  const [jobs, setJobs] = useState<string[]>([]);
  return (
    <>
      <h1>Hand in pages</h1>
      <p className="lead">
        Each address waits for its turn at its site, then it is fetched and read. Together they are a job.
      </p>
      {key ? <Form onJob={(id) => setJobs([id, ...jobs])} /> : <KeyForm />}
      {key && jobs.length ? (
        <Section title="Jobs of this tab">
          {jobs.map((id) => (
            <Job key={id} id={id} />
          ))}
        </Section>
      ) : null}
    </>
  );
}

function KeyForm() {
  const [text, setText] = useState("");
  return (
    <Section
      title="Service key"
      note="Pages are handed in with a service key, which Freshet prints when it starts."
    >
      <form
        className="narrow"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim()) takeServiceKey(text);
        }}
      >
        <label>
          <span>Service key (kept until this tab is closed)</span>
          <input
            type="password"
            autoComplete="off"
            spellCheck={false}
            required
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <div className="buttons">
          <button type="submit" className="main">
            Use this key
          </button>
        </div>
      </form>
    </Section>
  );
}

function Form({ onJob }: { onJob: (id: string) => void }) {
  const [urls, setUrls] = useState("");
  const [kind, setKind] = useState<Kind>("job_posting");
  const [workspace, setWorkspace] = useState("me");
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  async function handIn() {
    setBusy(true);
    setProblem(null);
    const targets = urls
      .split(/\s+/)
      .filter(Boolean)
      .map((url) => ({ target_type: kind, workspace_id: workspace.trim(), target_url: url }));
    try {
      const [only] = targets;
      // A page alone is a job of one.
      const answer = (await (targets.length === 1 && only
        ? ask("post", "/api/v1/scrape", { as: "service", body: only })
        : ask("post", "/api/v1/scrape/batch", { as: "service", body: { targets } }))) as {
        data: { job_id?: string; task_id?: string };
      };
      const id = answer.data.job_id ?? answer.data.task_id;
      if (id) onJob(id);
      setUrls("");
    } catch (error) {
      setProblem(told(error));
    }
    setBusy(false);
  }

  return (
    <Section title="Addresses" note="One a line, up to a hundred.">
      <form
        className="hand-in"
        onSubmit={(event) => {
          event.preventDefault();
          handIn();
        }}
      >
        <label className="wide">
          <span className="unseen">Addresses</span>
          <textarea
            rows={Math.min(12, Math.max(3, urls.split("\n").length))}
            required
            placeholder="https://…"
            autoComplete="off"
            spellCheck={false}
            inputMode="url"
            value={urls}
            onChange={(event) => setUrls(event.target.value)}
          />
        </label>
        <label>
          <span>Read as</span>
          <select value={kind} onChange={(event) => setKind(event.target.value as Kind)}>
            {KINDS.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Workspace</span>
          <input
            value={workspace}
            required
            maxLength={128}
            autoComplete="off"
            onChange={(event) => setWorkspace(event.target.value)}
          />
        </label>
        <button type="submit" className="main" disabled={busy}>
          Hand in
        </button>
      </form>
      <Problem text={problem} />
    </Section>
  );
}

interface JobData {
  status: string;
  completed_tasks: number;
  failed_tasks: number;
  running_tasks: number;
  queued_tasks: number;
  tasks: {
    task_id: string;
    status: string;
    target_url: string;
    error?: string | null;
    code?: string | null;
  }[];
}

interface Result {
  job_title?: string;
  company_name?: string;
  name?: string;
}

/** A job with what its completed pages said. */
async function look(id: string, signal: AbortSignal) {
  const wishes = { path: { job_id: id }, as: "service", signal } as const;
  const { data } = (await ask("get", "/api/v1/scrape/jobs/{job_id}", wishes)) as { data: JobData };
  const results: Record<string, Result> = {};
  if (data.completed_tasks) {
    const page = (await ask("get", "/api/v1/scrape/jobs/{job_id}/results", wishes)) as {
      data: { results: { task_id: string; result?: Result | null }[] };
    };
    for (const one of page.data.results) results[one.task_id] = one.result ?? {};
  }
  return { data, results };
}

function Job({ id }: { id: string }) {
  const [asking, setAsking] = useState(false);
  const [over, setOver] = useState(false);
  const live = useLive(
    `job ${id}`,
    async (signal) => {
      const found = await look(id, signal);
      setOver(OVER.includes(found.data.status) && !found.data.running_tasks);
      return found;
    },
    over ? 30_000 : 1500,
  );
  const job = live.data?.data;
  const parts: [string, number, Tone][] = job
    ? [
        ["completed", job.completed_tasks, "live"],
        ["failed", job.failed_tasks, "closed"],
        ["running", job.running_tasks, "accent"],
        ["queued", job.queued_tasks, "plain"],
      ]
    : [];
  const counts = parts.filter(([, count]) => count).map(([name, count]) => `${number(count)} ${name}`);
  return (
    <article className="job">
      <div className="section-head">
        <p role="status">
          <Badge tone={LOOKS[job?.status ?? "queued"] ?? "plain"}>
            {(job?.status ?? "queued").replace("_", " ")}
          </Badge>{" "}
          <span className="small faint">{counts.join(" · ")}</span>
        </p>
        {job && !OVER.includes(job.status) ? (
          <button type="button" className="small bad" onClick={() => setAsking(true)}>
            Cancel
          </button>
        ) : null}
      </div>
      <div className="progress" role="img" aria-label={counts.join(", ")}>
        {parts.map(([name, count, tone]) =>
          count ? <span key={name} className={tone} style={{ flexGrow: count }} /> : null,
        )}
      </div>
      <Problem text={live.problem} />
      <details open={job ? job.tasks.length <= 5 : false}>
        <summary className="small">
          Pages of job <code>{id}</code>
        </summary>
        <ul className="plain">
          {job?.tasks.map((task) => {
            const result = live.data?.results[task.task_id] ?? {};
            const said = task.error
              ? stopped(task.code ? `${task.error} (${task.code})` : task.error)
              : [
                  result.job_title ?? result.company_name ?? result.name,
                  result.job_title && result.company_name,
                ]
                  .filter(Boolean)
                  .join(", ");
            return (
              <li key={task.task_id}>
                <Badge tone={LOOKS[task.status] ?? "plain"}>{task.status}</Badge>{" "}
                <span className="small">
                  <Outside href={task.target_url} />
                </span>
                {said ? <div className="small faint">{said}</div> : null}
              </li>
            );
          })}
        </ul>
      </details>
      {asking ? (
        <Confirm
          title="Cancel this job?"
          deed="Cancel the job"
          danger
          onClose={() => setAsking(false)}
          act={async () => {
            await ask("post", "/api/v1/scrape/jobs/{job_id}/cancel", { path: { job_id: id }, as: "service" });
            live.refresh();
          }}
        >
          <p>Pages that have not begun are called off. What is under way is finished.</p>
        </Confirm>
      ) : null}
    </article>
  );
}
