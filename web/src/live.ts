// Data that stays true while somebody looks: asked for again every few seconds, not at all while the tab is hidden,
// slower while it fails. What was there stays on the screen until something newer comes.

import { useCallback, useEffect, useRef, useState } from "react";
import { told } from "./ask";

export interface Live<T> {
  /** The newest answer; null before the first. */
  data: T | null;
  /** Why the newest attempt failed. */
  problem: string | null;
  /** True while what is shown belongs to another question (a filter was just changed). */
  waiting: boolean;
  refresh: () => void;
}

const SLOWEST = 60_000;

interface Held<T> {
  question: string;
  text: string;
  data: T;
}

/**
 * `question` says what is asked, so that another question is another answer; `load` asks it.
 */
export function useLive<T>(
  question: string,
  load: (signal: AbortSignal) => Promise<T>,
  every = 4000,
): Live<T> {
  const [held, setHeld] = useState<Held<T> | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const asks = useRef(load);
  asks.current = load;

  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` is the wish to ask now
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    let failures = 0;
    let asking = false;

    async function turn() {
      if (asking || document.hidden) return;
      asking = true;
      window.clearTimeout(timer);
      try {
        const data = await asks.current(stop.signal);
        if (stop.signal.aborted) return;
        const text = JSON.stringify(data);
        failures = 0;
        // The same answer is the same object: nothing is drawn again.
        setHeld((old) =>
          old && old.question === question && old.text === text ? old : { question, text, data },
        );
        setProblem(null);
      } catch (error) {
        if (stop.signal.aborted) return;
        failures += 1;
        setProblem(told(error));
      } finally {
        asking = false;
        if (!stop.signal.aborted) {
          timer = window.setTimeout(turn, Math.min(every * 2 ** failures, SLOWEST));
        }
      }
    }

    const seen = () => {
      if (!document.hidden) turn();
    };
    document.addEventListener("visibilitychange", seen);
    window.addEventListener("online", seen);
    turn();
    return () => {
      stop.abort();
      window.clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
      window.removeEventListener("online", seen);
    };
  }, [question, every, round]);

  const refresh = useCallback(() => setRound((n) => n + 1), []);
  return { data: held?.data ?? null, problem, waiting: held !== null && held.question !== question, refresh };
}

/** The first pages of a list that is read by cursor. */
export async function pages<P extends { next_cursor?: string | null }, R>(
  count: number,
  load: (cursor: string | undefined) => Promise<P>,
  rows: (page: P) => R[],
): Promise<{ rows: R[]; more: boolean }> {
  const all: R[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < count; page += 1) {
    const found = await load(cursor);
    all.push(...rows(found));
    if (!found.next_cursor) return { rows: all, more: false };
    cursor = found.next_cursor;
  }
  return { rows: all, more: true };
}
