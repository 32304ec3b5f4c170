import { useSyncExternalStore } from 'react';
import { formatAgo, formatDateTime, formatDateTimeFull, timeOf } from '../format.ts';

/** A moment, in the viewer's time zone; the whole of it on hover. */
export function Time({ value, isAgo = false }: { value: string | number; isAgo?: boolean }) {
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

/** When something in a list happened; how long ago, where there is little room. */
export function ListTime({ value }: { value: string }) {
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
  useTimeGoingBy();
  return formatAgo(value);
}

const TICK_MS = 20_000;
const listeners = new Set<() => void>();
let ticks = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Shows anew what depends on the time: what is a minute ago must not be a minute ago for ever. */
export function useTimeGoingBy(): void {
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
