import { formatNumber } from '../../format.ts';
import { useFigures, useStorage } from './queries.ts';

export function AllTime() {
  const { data: figures } = useFigures();
  const { data: storage } = useStorage();
  return (
    <section aria-labelledby="all-time" className="px-1">
      <h2 id="all-time" className="sr-only">
        All time
      </h2>
      <dl className="flex flex-wrap gap-x-8 gap-y-2 text-[0.8125rem]">
        <Small name="Events" value={figures?.total_events} />
        <Small name="Devices" value={figures?.unique_fingerprints} />
        <Small name="Files in storage" value={storage?.total_objects} />
        <Small name="Sessions in storage (estimated)" value={storage?.estimated_sessions} />
      </dl>
    </section>
  );
}

function Small({ name, value }: { name: string; value: number | undefined }) {
  return (
    <div className="flex gap-1.5">
      <dt className="text-ink-faint">{name}</dt>
      <dd className="font-medium tabular-nums">{value === undefined ? '–' : formatNumber(value)}</dd>
    </div>
  );
}
