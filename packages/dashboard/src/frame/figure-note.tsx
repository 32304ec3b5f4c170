import { Link } from '@tanstack/react-router';
import { Button, buttonClasses } from '../ui/button.tsx';
import { useComparedPeriod } from './compared-period.ts';
import type { FigureAddress } from './figure-address.ts';
import type { Frame } from './frame.ts';

/** Names the figure of a list, with links to the full list and out of the compared period. */
export function FigureNote({
  what,
  without,
  all,
  frame,
  onPeriod,
}: {
  what: string;
  /** What the full list has and the figure does not count. */
  without?: string | undefined;
  all: { to: FigureAddress['to']; label: string };
  frame: Frame;
  /** Switches from the compared period to the period itself; undefined if that is shown already. */
  onPeriod: (() => void) | undefined;
}) {
  const other = useComparedPeriod(frame);
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-2 text-ink-soft">
      <bdi className="wrap-anywhere">
        {what}
        {onPeriod !== undefined && ` of ${other}`}
        {without !== undefined && `, without ${without}`}. Latest first.
      </bdi>
      <span className="flex flex-wrap gap-2">
        {onPeriod !== undefined && (
          <Button size="small" onClick={onPeriod}>
            Show the selected period
          </Button>
        )}
        <Link
          to={all.to}
          search={{ filters: undefined } as never}
          className={buttonClasses({ size: 'small' })}
        >
          {all.label}
        </Link>
      </span>
    </p>
  );
}
