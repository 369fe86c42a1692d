// The API's words, as people say them.

import type { Tone } from "./small";

export const PRIORITIES = ["urgent", "high", "normal", "low"] as const;
export const SESSION_STATES = ["in_progress", "completed", "failed", "timeout", "released"] as const;
export const ROLE_STATES = ["pending", "processing", "completed"] as const;

export type Priority = (typeof PRIORITIES)[number];
export type SessionState = (typeof SESSION_STATES)[number];
export type RoleState = (typeof ROLE_STATES)[number];

/** What was picked, if it is one of the words: a field of a form only knows text. */
export function oneOf<Word extends string>(words: readonly Word[], text: string): Word | undefined {
  return words.find((word) => word === text);
}

export const SESSION: Record<string, [string, Tone]> = {
  in_progress: ["in progress", "accent"],
  completed: ["completed", "live"],
  failed: ["failed", "closed"],
  timeout: ["timed out", "due"],
  released: ["given back", "plain"],
};

export const ROLE: Record<string, [string, Tone]> = {
  pending: ["waiting", "plain"],
  processing: ["processing", "accent"],
  completed: ["done", "live"],
};

export const METHOD: Record<string, string> = {
  key: "same after cleaning",
  alias: "a known name",
  correction: "corrected by an admin",
  new: "new role",
};

export function priorityTone(priority: string): Tone {
  return priority === "urgent" ? "closed" : priority === "high" ? "due" : "plain";
}
