// Times as people say them. One clock ticks for the whole page.

import { useSyncExternalStore } from "react";
import { serverNow } from "./connection";

let beats = 0;
let timer = 0;
const listeners = new Set<() => void>();

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  if (!timer) {
    timer = window.setInterval(() => {
      beats += 1;
      if (!document.hidden) for (const one of listeners) one();
    }, 1000);
  }
  return () => {
    listeners.delete(tell);
    if (!listeners.size) {
      window.clearInterval(timer);
      timer = 0;
    }
  };
}

export function useSeconds(): number {
  useSyncExternalStore(subscribe, () => beats);
  return serverNow();
}

const UNITS: [string, number][] = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
];

/** `4 min`, `2 h 5 min`: the largest unit, and the next one while the number is small. */
export function span(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const at = UNITS.findIndex(([, size]) => whole >= size);
  const [unit, size] = UNITS[at] ?? ["s", 1];
  const count = Math.floor(whole / size);
  const next = UNITS[at + 1];
  const rest = next ? Math.floor((whole - count * size) / next[1]) : 0;
  return next && rest > 0 && count < 10 && unit !== "d"
    ? `${count} ${unit} ${rest} ${next[0]}`
    : `${count} ${unit}`;
}

export function ago(text: string, now: number): string {
  const seconds = (now - Date.parse(text)) / 1000;
  if (Number.isNaN(seconds)) return "";
  if (seconds < 0) return seconds > -5 ? "just now" : `in ${rough(-seconds)}`;
  if (seconds < 5) return "just now";
  if (seconds > 30 * 86_400) return new Date(text).toLocaleDateString();
  return `${rough(seconds)} ago`;
}

function rough(seconds: number): string {
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ["s", 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}

export function Ago({ at, none = "never" }: { at: string | null | undefined; none?: string }) {
  const now = useSeconds();
  if (!at) return <span className="faint">{none}</span>;
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {ago(at, now)}
    </time>
  );
}

/** How long since, without the word: for a column that says what it is. */
export function Since({ at }: { at: string }) {
  const now = useSeconds();
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {span((now - Date.parse(at)) / 1000)}
    </time>
  );
}

export function number(count: number): string {
  return count.toLocaleString("en");
}

/** `1 role`, `2 roles`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}
