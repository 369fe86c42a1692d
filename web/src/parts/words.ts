// The API's words, as people say them.

import type { Tone } from "./small";

export const PRIORITIES = ["urgent", "high", "normal", "low"] as const;

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
