import { type MouseEvent, type ReactNode, useDeferredValue } from 'react';
import type { FigureAddress } from '../frame/figure-address.ts';
import { useOpen } from './use-open.ts';

/** A number, with the page that lists what it counts. */
export type TableValue = { text: string; address?: FigureAddress | undefined };

type Row = { name: string; values: readonly TableValue[] };

const NONE: readonly Row[] = [];

/** A chart's values for screen readers. */
export function ValuesTable({
  caption,
  columns,
  rows,
}: {
  caption: string;
  columns: readonly string[];
  rows: readonly Row[];
}) {
  // Deferred: rendering hundreds of links must not delay the chart.
  const shown = useDeferredValue(rows, NONE);
  return (
    <div className="sr-only print:hidden">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ name, values }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {values.map(({ text, address }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: The columns do not move.
                <td key={index}>
                  {address === undefined ? text : <ValueLink address={address}>{text}</ValueLink>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/**
 * Not in the tab order: the table is invisible, and so would be the focus; Enter on the chart opens the same page. A plain
 * link, because a router link for each day of many years would be slow.
 */
function ValueLink({ address, children }: { address: FigureAddress; children: ReactNode }) {
  const { hrefOf, open } = useOpen();
  function follow(event: MouseEvent) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open(address, event);
  }
  return (
    <a href={hrefOf(address)} tabIndex={-1} onClick={follow}>
      {children}
    </a>
  );
}
