// Is the server there, and what time is it there? Told by every answer, shown by the frame of the page.

import { useSyncExternalStore } from "react";

export interface Connection {
  /** When the server stopped answering, by this machine's clock; null while it answers. */
  awaySince: number | null;
  lastAnswer: number | null;
}

let connection: Connection = { awaySince: null, lastAnswer: null };
let offset = 0;
const listeners = new Set<() => void>();

function change(next: Connection) {
  connection = next;
  for (const tell of listeners) tell();
}

export function answered(date: string | null) {
  const said = date ? Date.parse(date) - Date.now() : Number.NaN;
  // The header knows only whole seconds; less than that is no difference.
  offset = Math.abs(said) > 2000 ? said : 0;
  change({ awaySince: null, lastAnswer: Date.now() });
}

export function unanswered() {
  if (connection.awaySince === null) change({ ...connection, awaySince: Date.now() });
}

/** Now, by the server's clock: ages of heartbeats must not depend on how this machine's clock goes. */
export function serverNow(): number {
  return Date.now() + offset;
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => connection,
  );
}
