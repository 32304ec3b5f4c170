import { Link } from '@tanstack/react-router';
import { Button, buttonClasses } from '../ui/button.tsx';
import { useComparedPeriod } from './compared-period.ts';
import type { FigureAddress } from './figure-address.ts';
import type { Frame } from './frame.ts';

/** Says which leads, visits or submissions a list has, as the frame shows the rest, with the ways out of it. */
export function FigureNote({
  what,
  without,
  all,
  frame,
  onPeriod,
}: {
  what: string;
  /** What the figure leaves out of what the list has otherwise. */
  without?: string | undefined;
  all: { to: FigureAddress['to']; label: string };
  frame: Frame;
  /** Goes from the compared period to the period itself; undefined: that is what is shown. */
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
            Show the period itself
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
