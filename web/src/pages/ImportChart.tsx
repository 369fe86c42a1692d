// Imports over time as stacked bars, drawn by hand: a bar a step, a colour a scraper. The same numbers stand in a
// legend, in a box that follows the pointer or the arrow keys, and in a table.

import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import type { Schemas } from "../ask";
import { type Column, Table } from "../parts/Table";
import { counted, number } from "../time";

type Imports = Schemas["Imports"];

export interface Series {
  key: number | null;
  name: string;
  total: number;
}

export interface Bar {
  at: number;
  label: string;
  total: number;
  /** In the order of the series. */
  parts: number[];
  skipped: number;
  sessions: number;
}

const HEIGHT = 220;
const LEFT = 44;
const BOTTOM = 26;
const TOP = 8;

/** Every step from the first to now, also those in which nothing came. */
export function arrange(data: Imports, now: number): { series: Series[]; bars: Bar[] } {
  const step = data.step === "hour" ? 3_600_000 : 86_400_000;
  const totals = new Map<number | null, Series>();
  for (const one of data.imports) {
    const key = one.scraper_key_id ?? null;
    const known = totals.get(key) ?? { key, name: one.scraper_name ?? "all others", total: 0 };
    known.total += one.jobs_imported;
    totals.set(key, known);
  }
  const series = [...totals.values()].sort(
    (a, b) =>
      Number(a.key === null) - Number(b.key === null) || b.total - a.total || (a.key ?? 0) - (b.key ?? 0),
  );
  const place = new Map(series.map((one, index) => [one.key, index]));
  const bars: Bar[] = [];
  const first = Math.floor(Date.parse(data.since) / step) * step;
  for (let at = first; at <= now; at += step) {
    bars.push({
      at,
      label: label(at, data.step),
      total: 0,
      parts: series.map(() => 0),
      skipped: 0,
      sessions: 0,
    });
  }
  for (const one of data.imports) {
    const bar = bars[Math.round((Date.parse(one.at) - first) / step)];
    const index = place.get(one.scraper_key_id ?? null);
    if (!bar || index === undefined) continue;
    bar.parts[index] = (bar.parts[index] ?? 0) + one.jobs_imported;
    bar.total += one.jobs_imported;
    bar.skipped += one.jobs_skipped;
    bar.sessions += one.sessions;
  }
  return { series, bars };
}

function label(at: number, step: string): string {
  // Days are cut at midnight UTC and must be named there too.
  return step === "hour"
    ? new Date(at).toLocaleString("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" })
    : new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
}

/** 0, and round numbers up to at least the largest. */
export function ticks(largest: number): number[] {
  const rough = Math.max(largest, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10) * power);
  const count = Math.ceil(Math.max(largest, 1) / step);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

export function ImportChart({ data, dim }: { data: Imports; dim: boolean }) {
  const [frame, width] = useWidth();
  const [at, setAt] = useState<number | null>(null);
  const { series, bars } = arrange(data, Date.now());
  const scale = ticks(Math.max(...bars.map((bar) => bar.total)));
  const highest = scale.at(-1) ?? 1;
  const inner = Math.max(width - LEFT, 1);
  const pitch = inner / bars.length;
  const thick = Math.max(1, Math.min(40, pitch - Math.max(1, pitch * 0.25)));
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / highest);
  const every = Math.ceil(bars.length / Math.max(1, Math.floor(inner / 74)));
  const chosen = at === null ? undefined : bars[at];

  function point(event: PointerEvent<SVGSVGElement>) {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - LEFT;
    const index = Math.floor(x / pitch);
    setAt(index >= 0 && index < bars.length ? index : null);
  }

  function walk(event: KeyboardEvent) {
    const last = bars.length - 1;
    const next = {
      ArrowLeft: at === null ? last : Math.max(0, at - 1),
      ArrowRight: at === null ? 0 : Math.min(last, at + 1),
      Home: 0,
      End: last,
    }[event.key];
    if (event.key === "Escape") setAt(null);
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
  }

  return (
    <div className={dim ? "chart dim" : "chart"}>
      <ul className="legend" aria-label="Scrapers in the chart">
        {series.map((one, index) => (
          <li key={one.key ?? "others"}>
            <span className={`swatch series-${colour(one, index)}`} aria-hidden="true" />
            {one.name} <span className="faint">{number(one.total)}</span>
          </li>
        ))}
      </ul>
      <div className="frame" ref={frame}>
        <svg
          width={width}
          height={HEIGHT}
          role="img"
          aria-label={`Jobs imported by ${data.step}: ${number(series.reduce((sum, one) => sum + one.total, 0))} in all. The arrow keys walk through the bars; the table below has the same numbers.`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys walk through the bars
          tabIndex={0}
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => setAt(null)}
          onBlur={() => setAt(null)}
          onKeyDown={walk}
        >
          {scale.map((value) => (
            <g key={value}>
              <line className="grid" x1={LEFT} x2={width} y1={y(value)} y2={y(value)} />
              <text className="tick" x={LEFT - 8} y={y(value) + 4} textAnchor="end">
                {short(value)}
              </text>
            </g>
          ))}
          {chosen && at !== null ? (
            <rect
              className="here"
              x={LEFT + at * pitch}
              y={TOP}
              width={pitch}
              height={HEIGHT - TOP - BOTTOM}
            />
          ) : null}
          {bars.map((bar, index) => {
            let below = 0;
            return (
              <g key={bar.at} data-bar={bar.total}>
                {series.map((one, part) => {
                  const value = bar.parts[part] ?? 0;
                  if (!value) return null;
                  const from = y(below);
                  below += value;
                  const tall = from - y(below);
                  return (
                    <rect
                      key={one.key ?? "others"}
                      className={`series-${colour(one, part)}`}
                      x={LEFT + index * pitch + (pitch - thick) / 2}
                      y={y(below)}
                      width={thick}
                      // A hair of ground between two colours.
                      height={Math.max(tall > 3 && below > value ? tall - 1 : tall, 1)}
                      data-value={value}
                    />
                  );
                })}
                {index % every === 0 ? (
                  <text className="tick" x={LEFT + (index + 0.5) * pitch} y={HEIGHT - 8} textAnchor="middle">
                    {data.step === "hour" ? bar.label.replace(/^\w+,? /, "") : bar.label}
                  </text>
                ) : null}
              </g>
            );
          })}
        </svg>
        {chosen && at !== null ? (
          <Box bar={chosen} series={series} x={LEFT + (at + 0.5) * pitch} width={width} />
        ) : null}
      </div>
      <p className="unseen" role="status">
        {chosen ? `${chosen.label}: ${counted(chosen.total, "job")} imported` : ""}
      </p>
      <details>
        <summary>The same numbers as a table</summary>
        <Table
          name="Imports over time"
          columns={columns(series, data.step)}
          rows={bars.filter((bar) => bar.sessions > 0).reverse()}
          id={(bar) => bar.at}
        />
      </details>
    </div>
  );
}

function Box({ bar, series, x, width }: { bar: Bar; series: Series[]; x: number; width: number }) {
  const right = x > width / 2;
  return (
    <div className="box" style={right ? { right: width - x + 12 } : { left: x + 12 }} aria-hidden="true">
      <p className="strong">{bar.label}</p>
      <table>
        <tbody>
          {series.map((one, index) =>
            bar.parts[index] ? (
              <tr key={one.key ?? "others"}>
                <td>
                  <span className={`swatch series-${colour(one, index)}`} />
                  {one.name}
                </td>
                <td className="number">{number(bar.parts[index])}</td>
              </tr>
            ) : null,
          )}
          <tr className="sum">
            <td>imported</td>
            <td className="number">{number(bar.total)}</td>
          </tr>
        </tbody>
      </table>
      <p className="faint small">
        {counted(bar.sessions, "session")}, {number(bar.skipped)} skipped
      </p>
    </div>
  );
}

function columns(series: Series[], step: string): Column<Bar>[] {
  return [
    { name: step === "hour" ? "Hour" : "Day (UTC)", main: true, cell: (bar) => bar.label },
    ...series.map((one, index) => ({
      id: `scraper ${one.key}`,
      name: one.name,
      number: true,
      cell: (bar: Bar) => number(bar.parts[index] ?? 0),
    })),
    { name: "Imported", number: true, cell: (bar: Bar) => <strong>{number(bar.total)}</strong> },
    { name: "Skipped", number: true, cell: (bar: Bar) => number(bar.skipped) },
    { name: "Sessions", number: true, cell: (bar: Bar) => number(bar.sessions) },
  ];
}

function colour(one: Series, index: number): string {
  return one.key === null ? "others" : String(index + 1);
}

function short(value: number): string {
  return value >= 10_000 ? `${number(value / 1000)}k` : number(value);
}

/** How wide the chart may be: letters keep their size, whatever the screen. */
function useWidth(): [React.RefObject<HTMLDivElement | null>, number] {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(320);
  useEffect(() => {
    if (!ref.current) return;
    const watch = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width));
    });
    watch.observe(ref.current);
    return () => watch.disconnect();
  }, []);
  return [ref, width];
}
