import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { classes } from '../../ui/classes.ts';

export type Sorted = 'ascending' | 'descending' | 'none';

const ICONS = { ascending: ArrowUp, descending: ArrowDown, none: ChevronsUpDown } as const;

export function SortButton({
  title,
  hint,
  sorted,
  onSort,
}: {
  title: string;
  hint?: string;
  sorted: Sorted;
  onSort: () => void;
}) {
  const Icon = ICONS[sorted];
  const button = useRef<HTMLButtonElement>(null);
  // `aria-sort` belongs on the header cell, which the table component renders.
  useLayoutEffect(() => button.current?.closest('th')?.setAttribute('aria-sort', sorted), [sorted]);
  return (
    <button
      ref={button}
      type="button"
      onClick={onSort}
      title={hint}
      className={classes(
        '-mx-1.5 inline-flex h-8 items-center gap-1 rounded-md px-1.5 font-medium hover:bg-sunken hover:text-ink',
        sorted !== 'none' && 'text-ink',
      )}
    >
      {title}
      <Icon aria-hidden="true" className={classes('size-3.5', sorted === 'none' && 'opacity-60')} />
    </button>
  );
}
