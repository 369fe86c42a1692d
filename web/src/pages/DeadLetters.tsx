// Messages that were given up: sent again, or dropped.

import { useState } from "react";
import { ask, type Schemas } from "../ask";
import { useLive } from "../live";
import { Confirm } from "../parts/Confirm";
import { Empty, Loading, Notice, Problem, Section } from "../parts/small";
import { Ago, number } from "../time";

type Letter = Schemas["DeadLetter"];

export function DeadLetters() {
  const [open, setOpen] = useState<{ what: "replay" | "discard"; letter: Letter } | null>(null);
  const [notice, setNotice] = useState("");
  const live = useLive("dead letters", (signal) =>
    ask("get", "/api/admin/dead-letters", { query: { limit: 50 }, signal }),
  );
  const close = () => setOpen(null);
  const letters = live.data?.dead_letters;
  return (
    <>
      <h1>Dead letters</h1>
      <p className="lead">
        Messages that were delivered again and again and given up. The rows they speak of are safe.
      </p>
      <Problem text={live.problem} />
      <Notice text={notice} />
      <Section title="Given up" note={live.data?.next_cursor ? "The newest 50." : undefined}>
        {!letters ? (
          <Loading problem={live.problem} />
        ) : letters.length ? (
          <ul className="letters">
            {letters.map((letter) => (
              <li key={letter.id}>
                <p>
                  <strong>{letter.queue}</strong> <span className="faint">· {letter.group_id}</span>
                </p>
                <p className="small faint">
                  delivered {number(letter.receive_count)} times, given up <Ago at={letter.died_at} />
                </p>
                <pre>{letter.body}</pre>
                <div className="buttons">
                  <button
                    type="button"
                    className="small"
                    aria-label={`Replay dead letter ${letter.id}`}
                    onClick={() => setOpen({ what: "replay", letter })}
                  >
                    Replay
                  </button>
                  <button
                    type="button"
                    className="small bad"
                    aria-label={`Discard dead letter ${letter.id}`}
                    onClick={() => setOpen({ what: "discard", letter })}
                  >
                    Discard
                  </button>
                </div>
              </li>
            ))}
          </ul>
        ) : (
          <Empty title="There are none.">
            <p>Nothing to do: every message was handled.</p>
          </Empty>
        )}
      </Section>
      {open?.what === "replay" ? (
        <Confirm
          title={`Send letter ${open.letter.id} again?`}
          deed="Replay it"
          onClose={close}
          act={async () => {
            const said = (await ask("post", "/api/admin/dead-letters/{id}/replay", {
              path: { id: open.letter.id },
            })) as { sent: boolean };
            setNotice(
              said.sent
                ? `Letter ${open.letter.id} was sent again.`
                : `Letter ${open.letter.id} is gone: its task had ended, there was nothing left to do.`,
            );
            live.refresh();
          }}
        >
          <p>It goes into the {open.letter.queue} queue, if its task is still open.</p>
        </Confirm>
      ) : null}
      {open?.what === "discard" ? (
        <Confirm
          title={`Drop letter ${open.letter.id}?`}
          deed="Discard it"
          danger
          onClose={close}
          act={async () => {
            await ask("delete", "/api/admin/dead-letters/{id}", { path: { id: open.letter.id } });
            setNotice(`Letter ${open.letter.id} was dropped.`);
            live.refresh();
          }}
        >
          <p>It is gone for good. If its task is still open, the sweep finds it and sends another message.</p>
        </Confirm>
      ) : null}
    </>
  );
}
