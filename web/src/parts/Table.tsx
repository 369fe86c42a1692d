// A table that becomes a list of cards on a phone. The roles are written out because a browser forgets that a table
// is a table once it is laid out as something else.

import type { ReactNode } from "react";

export interface Column<R> {
  name: string;
  /** What tells it from others of the same name. */
  id?: string;
  cell: (row: R) => ReactNode;
  /** Numbers stand right, under each other. */
  number?: boolean;
  /** What the row is about: its heading on a phone. */
  main?: boolean;
  /** Buttons: no label on a phone, and no wider than they are. */
  actions?: boolean;
}

interface Props<R> {
  name: string;
  columns: Column<R>[];
  rows: R[];
  id: (row: R) => string | number;
  waiting?: boolean;
}

export function Table<R>({ name, columns, rows, id, waiting = false }: Props<R>) {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: see above
    <table className={waiting ? "cards dim" : "cards"} role="table" aria-label={name} aria-busy={waiting}>
      {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
      <thead role="rowgroup">
        {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
        <tr role="row">
          {columns.map((column) => (
            // biome-ignore lint/a11y/noRedundantRoles: see above
            <th key={column.id ?? column.name} role="columnheader" scope="col" className={look(column)}>
              {column.actions ? <span className="unseen">{column.name}</span> : column.name}
            </th>
          ))}
        </tr>
      </thead>
      {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
      <tbody role="rowgroup">
        {rows.map((row) => (
          // biome-ignore lint/a11y/noRedundantRoles: see above
          <tr key={id(row)} role="row">
            {columns.map((column) => (
              // biome-ignore lint/a11y/noRedundantRoles: see above
              <td key={column.id ?? column.name} role="cell" className={look(column)} data-name={column.name}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function look<R>(column: Column<R>): string | undefined {
  if (column.number) return "number";
  if (column.main) return "main";
  return column.actions ? "actions" : undefined;
}
