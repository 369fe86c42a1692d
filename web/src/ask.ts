// Every request of the app goes through `ask`. Paths, parameters, bodies and answers have the types of the API's
// own description; a failure is a sentence for people.

import type { components, paths } from "./api";
import { answered, unanswered } from "./connection";
import * as session from "./session";

export type Schemas = components["schemas"];

type Method = "get" | "post" | "put" | "delete";
type Operation<P extends keyof paths, M extends Method> = paths[P] extends Record<M, infer O> ? O : never;
type Json<T> = T extends { content: { "application/json": infer A } } ? A : unknown;
type Success<R> = R extends { 200: infer A } ? Json<A> : R extends { 201: infer B } ? Json<B> : unknown;
type Answer<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: infer R } ? Success<R> : never;
type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? Q : never;
type BodyOf<O> = O extends { requestBody?: { content: { "application/json": infer B } } } ? B : never;
type PathsWith<M extends Method> = {
  [P in keyof paths]: Operation<P, M> extends { responses: unknown } ? P : never;
}[keyof paths];

interface Wishes<O> {
  path?: Record<string, string | number>;
  query?: QueryOf<O>;
  body?: BodyOf<O>;
  /** With which proof; both when it is not said. */
  as?: "admin" | "service";
  signal?: AbortSignal;
}

/** Something that a person can be told. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

export async function ask<M extends Method, P extends PathsWith<M>>(
  method: M,
  path: P,
  wishes: Wishes<Operation<P, M>> = {},
): Promise<Answer<P, M>> {
  const { token, key } = session.current();
  const headers: Record<string, string> = {};
  if (token && wishes.as !== "service") headers.authorization = `Bearer ${token}`;
  if (key && wishes.as !== "admin") headers["x-service-key"] = key;
  const init: RequestInit = { method: method.toUpperCase(), headers, cache: "no-store" };
  if (wishes.body !== undefined) {
    headers["content-type"] = "application/json";
    init.body = JSON.stringify(wishes.body);
  }
  if (wishes.signal) init.signal = wishes.signal;
  let response: Response;
  try {
    response = await fetch(address(String(path), wishes), init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    unanswered();
    throw new Failure("Freshet does not answer. Is it running?", 0);
  }
  answered(response.headers.get("date"));
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer as Answer<P, M>;
  if (response.status === 401) {
    if (headers["x-service-key"]) session.keyRefused();
    if (headers.authorization) session.tokenRefused();
  }
  throw new Failure(sentence(response, answer), response.status);
}

function address(path: string, wishes: { path?: Record<string, string | number>; query?: unknown }): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(wishes.path?.[name] ?? "")),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries((wishes.query ?? {}) as Record<string, unknown>)) {
    if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return text ? `${filled}?${text}` : filled;
}

interface SaidWrong {
  error?: unknown;
  errors?: unknown;
  meta?: { errors?: unknown } | null;
}

function sentence(response: Response, answer: unknown): string {
  const said = (answer ?? {}) as SaidWrong;
  const what =
    typeof said.error === "string" && said.error ? said.error : `Freshet answered ${response.status}`;
  const fields = said.errors ?? said.meta?.errors;
  const wrong = Array.isArray(fields)
    ? fields.map((one: { field?: string; message?: string }) => `${one.field} ${one.message}`).join("; ")
    : "";
  const wait = response.headers.get("retry-after");
  return stopped(wrong ? `${what}: ${wrong}` : what) + (wait ? ` Try again in ${wait} s.` : "");
}

export function stopped(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** What to tell a person about anything that was thrown. */
export function told(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
