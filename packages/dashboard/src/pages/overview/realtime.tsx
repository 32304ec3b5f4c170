import { Loaded } from '../../charts/loaded.tsx';
import { formatNumber } from '../../format.ts';
import { Pulse } from '../../ui/pulse.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { useRealtime } from './queries.ts';

export function Realtime() {
  const realtime = useRealtime();
  return (
    <section
      aria-labelledby="right-now"
      className="min-w-0 rounded-xl border border-line bg-surface px-4 py-3 sm:px-5 print:hidden"
    >
      <h2 id="right-now" className="sr-only">
        Right now
      </h2>
      <Loaded query={realtime} outline={<Skeleton className="h-20 sm:h-11" />}>
        {(now) => (
          <>
            <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
              <Now name="Active sessions" value={now.active_sessions} isLive={!realtime.isError} />
              <Now name="Events in the last hour" value={now.events_last_hour} />
              <Now name="Visitors today" value={now.unique_visitors_today} />
              <Now name="Sessions today" value={now.total_sessions_today} />
            </dl>
            {realtime.isError && (
              <p className="mt-2 text-xs text-warning">Not up to date: {realtime.error.message}</p>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Now({ name, value, isLive = false }: { name: string; value: number; isLive?: boolean }) {
  return (
    <div className="min-w-0">
      <dt className="flex items-center gap-2 text-[0.8125rem] text-ink-soft">
        {isLive && <Pulse />}
        {name}
      </dt>
      <dd className="text-lg font-semibold tabular-nums">{formatNumber(value)}</dd>
    </div>
  );
}
