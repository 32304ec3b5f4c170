import { useSyncExternalStore } from 'react';
import { formatAgo, formatDateTime, formatDateTimeFull, timeOf } from '../format.ts';
import { useTimeZone } from '../time-zone.ts';

/** With the full date on hover. */
export function Time({ value, isAgo = false }: { value: string | number; isAgo?: boolean }) {
  useTimeZone();
  return (
    <time
      dateTime={timeOf(value).toISOString()}
      title={formatDateTimeFull(value)}
      className="whitespace-nowrap"
    >
      {isAgo ? <Ago value={value} /> : formatDateTime(value)}
    </time>
  );
}

/** The full time, or the relative one on small screens. */
export function ListTime({ value }: { value: string | number }) {
  return (
    <>
      <span className="sm:hidden">
        <Time value={value} isAgo />
      </span>
      <span className="hidden sm:inline">
        <Time value={value} />
      </span>
    </>
  );
}

function Ago({ value }: { value: string | number }) {
  useRelativeTime();
  return formatAgo(value);
}

const TICK_MS = 20_000;
const listeners = new Set<() => void>();
let ticks = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Re-renders every few seconds, to keep relative times current. */
export function useRelativeTime(): void {
  useSyncExternalStore(watchTime, () => ticks);
}

function watchTime(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  ticks += 1;
  for (const listener of listeners) listener();
}
