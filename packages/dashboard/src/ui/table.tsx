import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export type Column<R> = {
  key: string;
  title: ReactNode;
  /** For screen readers, where the title is not text. */
  label?: string;
  cell: (row: R) => ReactNode;
  isNumber?: boolean;
  /** Hidden in a narrower table; its content must be available elsewhere. */
  isFrom?: 'sm' | 'md' | 'lg' | 'xl';
  className?: string;
};

/** By the width of the table itself: beside the navigation it is much narrower than the window. */
const FROM: Readonly<Record<string, string>> = {
  sm: 'hidden @lg:table-cell',
  md: 'hidden @2xl:table-cell',
  lg: 'hidden @4xl:table-cell',
  xl: 'hidden @5xl:table-cell',
};

export function Table<R>({
  caption,
  columns,
  rows,
  rowKey,
  rowClassName,
  isStale = false,
}: {
  /** For screen readers. */
  caption: string;
  columns: readonly Column<R>[];
  rows: readonly R[];
  rowKey: (row: R) => string | number;
  rowClassName?: (row: R) => string | undefined;
  /** Rows of the page before, while the next one loads. */
  isStale?: boolean;
}) {
  return (
    <div
      className={classes('@container overflow-x-auto transition-opacity', isStale && 'opacity-60')}
      aria-busy={isStale || undefined}
    >
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line text-xs text-ink-faint">
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                aria-label={column.label}
                className={classes(
                  'h-9 px-3 font-medium whitespace-nowrap first:pl-4 last:pr-4 sm:first:pl-5 sm:last:pr-5',
                  column.isNumber && 'text-right',
                  column.isFrom && FROM[column.isFrom],
                )}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              className={classes(
                'border-b border-line last:border-b-0 hover:bg-sunken/50',
                rowClassName?.(row),
              )}
            >
              {columns.map((column) => (
                <td
                  key={column.key}
                  className={classes(
                    'px-3 py-2.5 align-middle first:pl-4 last:pr-4 sm:first:pl-5 sm:last:pr-5',
                    column.isNumber && 'text-right tabular-nums',
                    column.isFrom && FROM[column.isFrom],
                    column.className,
                  )}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
