import { ArrowDownRight, ArrowRight, ArrowUpRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatChange } from '../format.ts';
import { classes } from '../ui/classes.ts';
import { Pulse } from '../ui/pulse.tsx';

/** A key figure with its change. */
export function Figure({
  name,
  value,
  note,
  change,
  children,
  isLive = false,
}: {
  name: string;
  value: ReactNode;
  note?: ReactNode;
  change?: ReactNode;
  children?: ReactNode;
  /** Updated continuously. */
  isLive?: boolean;
}) {
  return (
    <div className="flex min-w-0 flex-col gap-1 rounded-xl border border-line bg-surface p-4">
      <dt className="flex items-center gap-2 text-[0.8125rem] text-ink-soft">
        {isLive && <Pulse />}
        {name}
      </dt>
      <dd className="flex flex-1 flex-col gap-1">
        <span className="text-[1.625rem] leading-tight font-semibold tracking-tight tabular-nums">
          {value}
        </span>
        {change != null && <span className="min-h-4.5">{change}</span>}
        {note != null && <span className="text-xs text-ink-faint tabular-nums">{note}</span>}
        {children != null && <span className="mt-auto block pt-2">{children}</span>}
      </dd>
    </div>
  );
}

/** Smaller changes round to none. */
const NOTICEABLE = 0.005;

/** Grey if it is not significant. `by` is relative to the earlier value. */
export function Change({
  by,
  since,
  doubt,
  isBad = false,
}: {
  by: number | null;
  since: string;
  /** Why it may not be significant. */
  doubt?: string | undefined;
  /** An increase is worse. */
  isBad?: boolean;
}) {
  if (by === null) return null;
  const isSame = Math.abs(by) < NOTICEABLE;
  const Arrow = isSame ? ArrowRight : by > 0 ? ArrowUpRight : ArrowDownRight;
  const isGrey = isSame || doubt !== undefined;
  const title = doubt === undefined ? since : `${since}; ${doubt}`;
  return (
    <span
      title={title}
      className={classes(
        'inline-flex items-center gap-0.5 align-middle text-xs font-medium tabular-nums',
        isGrey ? 'text-ink-faint' : by > 0 !== isBad ? 'text-positive' : 'text-negative',
      )}
    >
      <Arrow aria-hidden="true" className="size-3.5" />
      <span className="sr-only">{isSame ? 'about the same' : by > 0 ? 'up' : 'down'}</span>
      {formatChange(Math.abs(by))}
      <span className="sr-only">{title}</span>
    </span>
  );
}
