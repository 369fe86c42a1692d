// A dialog of the browser: it keeps the focus inside, Escape closes it, and the focus goes back where it was.

import { type ReactNode, useEffect, useId, useRef } from "react";

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Only a button closes it: what it shows is not shown again. */
  firm?: boolean;
}

export function Dialog({ title, onClose, children, firm = false }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const node = dialog.current;
    const before = document.activeElement;
    node?.showModal();
    return () => {
      node?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!firm) onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
