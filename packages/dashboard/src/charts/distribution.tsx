import { formatNumber } from '../format.ts';
import { classes } from '../ui/classes.ts';

export type Bucket = {
  key: string;
  name: string;
  hint: string;
  count: number;
};

const STRENGTHS = ['bg-series-1/35', 'bg-series-1/50', 'bg-series-1/65', 'bg-series-1/80', 'bg-series-1'];

/** A histogram over a few ordered buckets. */
export function Distribution({ label, buckets }: { label: string; buckets: readonly Bucket[] }) {
  const most = Math.max(1, ...buckets.map(({ count }) => count));
  return (
    <ol aria-label={label} className="grid h-56 auto-cols-fr grid-flow-col gap-1 sm:gap-2">
      {buckets.map((bucket, index) => (
        <li key={bucket.key} className="min-w-0">
          <Column
            bucket={bucket}
            share={bucket.count / most}
            strength={STRENGTHS[Math.min(index, STRENGTHS.length - 1)]}
          />
        </li>
      ))}
    </ol>
  );
}

function Column({
  bucket: { name, hint, count },
  share,
  strength,
}: {
  bucket: Bucket;
  share: number;
  strength: string | undefined;
}) {
  return (
    <div className="flex size-full flex-col rounded-md py-1 text-center">
      <span className="flex flex-1 flex-col justify-end gap-1">
        <span className="text-[0.8125rem] font-medium tabular-nums">{formatNumber(count)}</span>
        <span
          aria-hidden="true"
          className={classes('block min-h-0.5 w-full rounded-t-md', strength)}
          style={{ height: `${share * 82}%` }}
        />
      </span>
      <span className="border-t border-line-strong pt-1.5 text-xs leading-tight font-medium whitespace-nowrap">
        {name}
      </span>
      <span className="text-[0.6875rem] text-ink-faint">{hint}</span>
    </div>
  );
}
