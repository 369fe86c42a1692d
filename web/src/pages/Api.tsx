// The API, as it describes itself.

import { type ReactNode, useEffect, useState } from "react";
import { told } from "../ask";
import { Loading, Problem } from "../parts/small";

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  items?: Schema;
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
}
interface Content {
  content?: Record<string, { schema?: Schema }>;
}
interface Operation {
  summary?: string;
  description?: string;
  tags?: string[];
  security?: Record<string, unknown>[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[];
  requestBody?: Content;
  responses?: Record<string, Content & { description?: string }>;
}
interface Spec {
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const TAGS: [string, string][] = [
  ["scrape", "Handing in pages"],
  ["listings", "Listings"],
  ["scraper", "For scrapers"],
  ["candidates", "Candidates"],
  ["monitoring", "Who is scraping what"],
  ["admin", "For operators"],
  ["service", "The service itself"],
];
const WHO: Record<string, string> = {
  service: "a service key (X-Service-Key)",
  scraper: "a scraper's key (X-Scraper-API-Key)",
  admin: "an admin token (Authorization: Bearer)",
};

export function ApiPage() {
  const [spec, setSpec] = useState<Spec | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    fetch("/openapi.json", { signal: stop.signal })
      .then((answer) => answer.json())
      .then(setSpec)
      .catch((error: unknown) => {
        if (!stop.signal.aborted) setProblem(told(error));
      });
    return () => stop.abort();
  }, []);
  return (
    <>
      <h1>The API</h1>
      <p className="lead">
        What may be called, by whom, with what. For machines: <a href="/openapi.json">openapi.json</a>
      </p>
      <Problem text={problem} />
      {spec ? groups(spec) : <Loading problem={problem} />}
    </>
  );
}

function groups(spec: Spec): ReactNode {
  const all = Object.entries(spec.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, about]) => ({
      path,
      method,
      about,
      tag: about.tags?.[0] ?? "service",
    })),
  );
  const known = new Map(TAGS);
  const tags = [...new Set([...TAGS.map(([tag]) => tag), ...all.map((one) => one.tag)])];
  return tags
    .filter((tag) => all.some((one) => one.tag === tag))
    .map((tag) => (
      <section key={tag}>
        <h2>{known.get(tag) ?? tag}</h2>
        {all
          .filter((one) => one.tag === tag)
          .map((one) => (
            <Route key={`${one.method} ${one.path}`} spec={spec} {...one} />
          ))}
      </section>
    ));
}

function Route({
  spec,
  path,
  method,
  about,
}: {
  spec: Spec;
  path: string;
  method: string;
  about: Operation;
}) {
  // What is inside is made when it is opened: there are many routes.
  const [open, setOpen] = useState(false);
  return (
    <details className="route" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="method">{method.toUpperCase()}</span> <code>{path}</code>{" "}
        <span className="faint small">{plain(about.summary)}</span>
      </summary>
      {open ? <Inside spec={spec} about={about} /> : null}
    </details>
  );
}

function Inside({ spec, about }: { spec: Spec; about: Operation }) {
  const who = (about.security ?? []).flatMap((one) => Object.keys(one)).map((name) => WHO[name] ?? name);
  const answers = Object.entries(about.responses ?? {});
  const good = answers.map(([, answer]) => answer.content?.["application/json"]?.schema).find(Boolean);
  return (
    <div className="inside">
      {about.description ? <p>{plain(about.description)}</p> : null}
      <p className="small">
        May be called with {who.length ? who.join(", or ") : "nothing; it is open to all"}.
      </p>
      {about.parameters?.length ? (
        <>
          <h4>Parameters</h4>
          <table>
            <tbody>
              {about.parameters.map((one) => (
                <tr key={one.name}>
                  <th scope="row">
                    <code>{one.name}</code>
                  </th>
                  <td className="faint">
                    {kind(one.schema ?? {})}, in the {one.in}
                    {one.required ? ", required" : ""}
                  </td>
                  <td>{plain(one.description)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      ) : null}
      <Fields spec={spec} schema={about.requestBody?.content?.["application/json"]?.schema} title="body" />
      <h4>Answers</h4>
      <table>
        <tbody>
          {answers.map(([status, answer]) => (
            <tr key={status}>
              <th scope="row">{status}</th>
              <td>{plain(answer.description)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Fields spec={spec} schema={good} title="answer" />
    </div>
  );
}

function resolved(spec: Spec, schema: Schema | undefined): Schema {
  const ref = schema?.$ref ?? schema?.oneOf?.find((one) => one.$ref)?.$ref;
  return (ref ? spec.components.schemas[ref.split("/").pop() ?? ""] : schema) ?? {};
}

function Fields({
  spec,
  schema,
  title,
  depth = 0,
}: {
  spec: Spec;
  schema: Schema | undefined;
  title: string;
  depth?: number;
}) {
  const whole = resolved(spec, schema);
  const fields = Object.entries(whole.properties ?? {});
  if (!fields.length || depth > 4) return null;
  return (
    <>
      <h4>
        <code>{title}</code>
      </h4>
      <table>
        <tbody>
          {fields.map(([name, field]) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td className="faint">
                {kind(field)}
                {whole.required?.includes(name) ? "" : ", may be missing or null"}
              </td>
              <td>{plain(field.description ?? resolved(spec, field).description)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {fields.map(([name, field]) => (
        <Fields
          key={name}
          spec={spec}
          schema={field.items ?? field}
          title={`${title}.${name}${field.items ? "[]" : ""}`}
          depth={depth + 1}
        />
      ))}
    </>
  );
}

function kind(schema: Schema): string {
  const ref = schema.$ref ?? schema.oneOf?.find((one) => one.$ref)?.$ref;
  if (ref) return ref.split("/").pop() ?? "any";
  const types = [schema.type ?? []].flat().filter((type) => type !== "null");
  const name = types[0] === "array" ? `list of ${kind(schema.items ?? {})}` : types.join(" or ") || "any";
  return schema.format && !/^(int|float|double)/.test(schema.format) ? `${name} (${schema.format})` : name;
}

function plain(text: string | undefined): string {
  return (text ?? "").replaceAll("`", "");
}
