import { type ReactNode, useState } from "react";
import { told } from "../ask";
import { Dialog } from "./Dialog";
import { Problem } from "./small";

interface Props {
  title: string;
  children: ReactNode;
  /** What the button says: the deed, not "OK". */
  deed: string;
  danger?: boolean;
  disabled?: boolean;
  act: () => Promise<void>;
  onClose: () => void;
}

/** Says what will happen and asks; stays open and says why when it did not work. */
export function Confirm({ title, children, deed, danger = false, disabled = false, act, onClose }: Props) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={async (event) => {
          event.preventDefault();
          setBusy(true);
          setProblem(null);
          try {
            await act();
            onClose();
          } catch (error) {
            setProblem(told(error));
            setBusy(false);
          }
        }}
      >
        {children}
        <Problem text={problem} />
        <div className="buttons">
          <button type="submit" className={danger ? "danger" : "main"} disabled={busy || disabled}>
            {deed}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
