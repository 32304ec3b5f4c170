import type { LeadSort } from '@leadtrail/contract/leads';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { classes } from '../../ui/classes.ts';

type Direction = 'ascending' | 'descending';

export function SortHeader({
  title,
  orders,
  sort,
  onSort,
  className,
  width,
}: {
  title: string;
  /** Empty if it cannot be sorted. */
  orders: readonly (readonly [LeadSort, Direction])[];
  sort: LeadSort;
  onSort: (sort: LeadSort) => void;
  className?: string;
  width?: string;
}) {
  const style = width === undefined ? undefined : { width };
  const current = orders.findIndex(([each]) => each === sort);
  const direction = orders[current]?.[1];
  const [next] = orders[current + 1] ?? orders[0] ?? ['newest'];
  if (orders.length === 0) {
    return (
      <th scope="col" style={style} className={classes('h-9 px-3 font-medium', className)}>
        {title}
      </th>
    );
  }
  const Arrow = direction === 'ascending' ? ArrowUp : ArrowDown;
  return (
    <th
      scope="col"
      aria-sort={direction}
      style={style}
      className={classes('h-9 px-3 font-medium', className)}
    >
      <button
        type="button"
        onClick={() => onSort(next)}
        className={classes(
          '-mx-1.5 inline-flex h-7 items-center gap-1 rounded-md px-1.5 whitespace-nowrap hover:bg-sunken hover:text-ink',
          direction !== undefined && 'text-ink',
        )}
      >
        {title}
        {direction !== undefined && <Arrow aria-hidden="true" className="size-3.5" />}
      </button>
    </th>
  );
}
