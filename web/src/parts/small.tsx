// Small things that every page uses.

import type { ReactNode } from "react";

export type Tone = "live" | "due" | "closed" | "plain" | "accent";

export function Badge({ tone = "plain", children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

/** A failure in words. The box is always there, so that a screen reader hears what comes into it. */
export function Problem({ text }: { text: string | null }) {
  return (
    <p className="problem" role="alert">
      {text}
    </p>
  );
}

/** What was just done, for eyes and ears. */
export function Notice({ text }: { text: string }) {
  return (
    <p className="notice" role="status">
      {text}
    </p>
  );
}

/** Nothing there: why, and what to do next. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="strong">{title}</p>
      {children}
    </div>
  );
}

export function Loading({ problem }: { problem: string | null }) {
  return problem ? null : <p className="faint loading">Loading …</p>;
}

export function Figure({ name, value, more }: { name: string; value: string; more?: ReactNode }) {
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd>
        <span className="value">{value}</span>
        {more ? <span className="more">{more}</span> : null}
      </dd>
    </div>
  );
}

interface SectionProps {
  title: string;
  note?: ReactNode;
  side?: ReactNode;
  children: ReactNode;
}

export function Section({ title, note, side, children }: SectionProps) {
  const id = `section-${title.toLowerCase().replace(/\W+/g, "-")}`;
  return (
    <section aria-labelledby={id}>
      <div className="section-head">
        <div>
          <h2 id={id}>{title}</h2>
          {note ? <p className="faint small">{note}</p> : null}
        </div>
        {side ? <div className="side">{side}</div> : null}
      </div>
      {children}
    </section>
  );
}

interface ChoiceProps<T extends string> {
  name: string;
  value: T;
  options: [T, string][];
  onChange: (value: T) => void;
}

/** A few things of which one is chosen: radio buttons that look like one control. */
export function Choice<T extends string>({ name, value, options, onChange }: ChoiceProps<T>) {
  return (
    <fieldset className="choice">
      <legend className="unseen">{name}</legend>
      {options.map(([key, label]) => (
        <label key={key} className={key === value ? "chosen" : undefined}>
          <input type="radio" name={name} checked={key === value} onChange={() => onChange(key)} />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

/** A link only where it leads to the web; anything else is shown and cannot be followed. */
export function Outside({ href, children }: { href: string; children?: ReactNode }) {
  let url: URL | null = null;
  try {
    url = new URL(href);
  } catch {
    // Shown as text.
  }
  if (!url || !/^https?:$/.test(url.protocol)) return <span>{children ?? href}</span>;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {children ?? href}
    </a>
  );
}

interface RowButtonProps {
  deed: string;
  /** Whose row it is: buttons that look alike must not sound alike. */
  of: string;
  bad?: boolean;
  /** Something is asked before it happens. */
  more?: boolean;
  onClick: () => void;
}

/** A deed on one row of a table. */
export function RowButton({ deed, of, bad = false, more = false, onClick }: RowButtonProps) {
  return (
    <button
      type="button"
      className={bad ? "small bad" : "small"}
      aria-label={`${deed} ${of}`}
      onClick={onClick}
    >
      {more ? `${deed} …` : deed}
    </button>
  );
}
