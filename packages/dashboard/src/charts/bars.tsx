import { type ReactNode, useState } from 'react';
import { formatNumber, formatShare } from '../format.ts';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { TINTS, type Tone } from './tones.ts';

export type Bar = {
  key: string;
  label: ReactNode;
  value: number;
  title?: string;
  isSelected?: boolean;
  onSelect?: () => void;
};

/** A ranked list with bars behind the text. */
export function Bars({
  label,
  bars,
  tone = 1,
  shown = 8,
  hasShares = false,
}: {
  label: string;
  bars: readonly Bar[];
  tone?: Tone;
  /** How many before “Show all”. */
  shown?: number;
  /** Only where the bars add up to the whole. */
  hasShares?: boolean;
}) {
  const [isWhole, setWhole] = useState(false);
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  const visible = isWhole ? bars : bars.slice(0, shown);
  return (
    <div className="grid gap-2">
      <ol aria-label={label} className="grid gap-1">
        {visible.map((bar) => (
          <li key={bar.key} title={bar.title} className="relative isolate min-w-0 rounded-md">
            <span
              aria-hidden="true"
              className={classes('absolute inset-y-0 left-0 -z-10 min-w-1 rounded-md', TINTS[tone])}
              style={{ width: `${(bar.value / most) * 100}%` }}
            />
            <Row bar={bar} share={hasShares && total > 0 ? bar.value / total : undefined} />
          </li>
        ))}
      </ol>
      {bars.length > shown && (
        <Button
          look="ghost"
          size="small"
          className="justify-self-start"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? 'Show fewer' : `Show all ${formatNumber(bars.length)}`}
        </Button>
      )}
    </div>
  );
}

const ROW = 'flex w-full items-center justify-between gap-4 rounded-md px-2.5 py-1.5 text-left';

function Row({ bar, share }: { bar: Bar; share: number | undefined }) {
  const content = (
    <>
      <span className="relative min-w-0 truncate">{bar.label}</span>
      <span className="flex shrink-0 items-baseline gap-2 tabular-nums">
        {share !== undefined && <span className="text-xs text-ink-soft">{formatShare(share)}</span>}
        <span className="min-w-8 text-right font-medium">{formatNumber(bar.value)}</span>
      </span>
    </>
  );
  if (bar.onSelect === undefined) return <div className={classes(ROW, 'min-h-9 sm:min-h-8')}>{content}</div>;
  return (
    <button
      type="button"
      aria-pressed={bar.isSelected ?? false}
      onClick={bar.onSelect}
      className={classes(
        ROW,
        'min-h-11 sm:min-h-8 hover:bg-sunken/60 aria-pressed:ring-1 aria-pressed:ring-accent',
      )}
    >
      {content}
    </button>
  );
}
