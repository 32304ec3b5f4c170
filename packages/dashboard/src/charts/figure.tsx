import { ArrowDownRight, ArrowRight, ArrowUpRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatShare } from '../format.ts';
import { classes } from '../ui/classes.ts';

/** A key figure with its change and trend. */
export function Figure({
  name,
  value,
  note,
  change,
  children,
}: {
  name: string;
  value: ReactNode;
  note?: ReactNode;
  change?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="flex min-w-0 flex-col gap-1 rounded-xl border border-line bg-surface p-4">
      <dt className="text-[0.8125rem] text-ink-soft">{name}</dt>
      <dd className="flex flex-1 flex-col gap-1">
        <span className="text-[1.375rem] leading-tight font-semibold tracking-tight tabular-nums">
          {value}
        </span>
        {change != null && <span className="min-h-4.5">{change}</span>}
        {note != null && <span className="text-xs text-ink-faint tabular-nums">{note}</span>}
        {children != null && <span className="mt-auto block pt-2">{children}</span>}
      </dd>
    </div>
  );
}

/** Smaller changes count as none. */
const NOTICEABLE = 0.005;

export function Change({ by, since }: { by: number | null; since: string }) {
  if (by === null) return null;
  const isSame = Math.abs(by) < NOTICEABLE;
  const Arrow = isSame ? ArrowRight : by > 0 ? ArrowUpRight : ArrowDownRight;
  return (
    <span
      title={since}
      className={classes(
        'inline-flex items-center gap-0.5 text-xs font-medium tabular-nums',
        isSame ? 'text-ink-faint' : by > 0 ? 'text-positive' : 'text-negative',
      )}
    >
      <Arrow aria-hidden="true" className="size-3.5" />
      <span className="sr-only">{isSame ? 'about the same' : by > 0 ? 'up' : 'down'}</span>
      {formatShare(Math.abs(by))}
      <span className="sr-only">{since}</span>
    </span>
  );
}
