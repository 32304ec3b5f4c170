import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export type Fact = {
  name: string;
  value: ReactNode;
  /** Takes two columns. */
  isWide?: boolean;
};

const LISTS = {
  rows: 'divide-y divide-line',
  columns: 'grid-cols-2 gap-x-6 gap-y-2 xl:grid-cols-3',
  narrow: 'gap-2',
} as const;

/** A definition list. */
export function Facts({
  facts,
  layout = 'columns',
}: {
  facts: readonly Fact[];
  layout?: keyof typeof LISTS;
}) {
  const isRows = layout === 'rows';
  return (
    <dl className={`grid min-w-0 ${LISTS[layout]}`}>
      {facts.map(({ name, value, isWide = false }, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: Static list; sent fields may repeat a name.
          key={index}
          className={classes(
            isRows ? 'grid gap-x-4 gap-y-0.5 py-2 sm:grid-cols-[11rem_minmax(0,1fr)]' : 'min-w-0',
            isWide && 'col-span-2',
          )}
        >
          <dt className={`break-words text-ink-faint ${isRows ? '' : 'text-xs'}`}>{name}</dt>
          <dd className="min-w-0 break-words whitespace-pre-wrap">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
