// Which page: the part of the address behind the #, so that one file serves them all.

import { useSyncExternalStore } from "react";
import { takeTokenFromAddress } from "./session";

function subscribe(tell: () => void): () => void {
  const moved = () => {
    takeTokenFromAddress();
    tell();
  };
  window.addEventListener("hashchange", moved);
  return () => window.removeEventListener("hashchange", moved);
}

/** `queue`, `roles/decisions`, … */
export function useRoute(): string {
  return useSyncExternalStore(subscribe, () => location.hash.replace(/^#\/?/, "")) || "queue";
}
