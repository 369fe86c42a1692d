// Who is asking: an admin token, a service key, both or neither. Kept until the tab is closed, never longer, and
// never in an address.

import { useSyncExternalStore } from "react";

export interface Proofs {
  token: string | null;
  key: string | null;
  /** Why the person is asked to sign in (again). */
  ended: string | null;
}

const TOKEN = "freshet.token";
const KEY = "freshet.key";

let proofs: Proofs = { token: read(TOKEN), key: read(KEY), ended: null };
const listeners = new Set<() => void>();

/** A tab that may not store anything still works until it is closed. */
function read(name: string): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

function keep(name: string, value: string | null) {
  try {
    if (value === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, value);
  } catch {
    // It lives in `proofs` alone.
  }
}

function change(next: Partial<Proofs>) {
  proofs = { ...proofs, ...next };
  keep(TOKEN, proofs.token);
  keep(KEY, proofs.key);
  for (const tell of listeners) tell();
}

export function current(): Proofs {
  return proofs;
}

export function signIn(token: string) {
  change({ token: token.trim(), ended: null });
}

export function takeServiceKey(key: string) {
  change({ key: key.trim(), ended: null });
}

export function signOut() {
  change({ token: null, key: null, ended: null });
}

/** The server does not accept the token any more. */
export function tokenRefused() {
  if (proofs.token) {
    change({ token: null, ended: "Your sign-in has ended, or this token is not one of this server." });
  }
}

export function keyRefused() {
  if (proofs.key) change({ key: null });
}

/** A sign-in link carries the token behind the #, which no server sees. It leaves the address bar at once. */
export function takeTokenFromAddress() {
  const found = /^#token=([^&]+)/.exec(location.hash)?.[1];
  if (!found) return;
  history.replaceState(null, "", location.pathname);
  signIn(decodeURIComponent(found));
}

export function useProofs(): Proofs {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => proofs,
  );
}
