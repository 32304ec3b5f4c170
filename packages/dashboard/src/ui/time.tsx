import { formatAgo, formatDateTime, formatDateTimeFull, timeOf } from '../format.ts';

/** A moment, in the viewer's time zone; the whole of it on hover. */
export function Time({ value, isAgo = false }: { value: string | number; isAgo?: boolean }) {
  return (
    <time
      dateTime={timeOf(value).toISOString()}
      title={formatDateTimeFull(value)}
      className="whitespace-nowrap"
    >
      {isAgo ? formatAgo(value) : formatDateTime(value)}
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
