import type { ReactNode } from 'react';
import { formatDateTimeFull, formatTimeOfDay } from '../../format.ts';
import { classes } from '../../ui/classes.ts';

const TONES = {
  neutral: 'bg-sunken text-ink-soft',
  accent: 'bg-accent-soft text-accent-text',
  info: 'bg-info-soft text-info',
  positive: 'bg-positive-soft text-positive',
  negative: 'bg-negative-soft text-negative',
  warning: 'bg-warning-soft text-warning',
};

/** The layout of a timeline entry. */
export function EntryFrame({
  icon,
  tone,
  title,
  at,
  badges,
  actions,
  children,
}: {
  icon: ReactNode;
  tone: keyof typeof TONES;
  title: ReactNode;
  at: number;
  badges?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <article className="grid grid-cols-[2rem_minmax(0,1fr)] gap-x-3">
      <div className="flex flex-col items-center">
        <span className={classes('grid size-8 place-items-center rounded-full [&_svg]:size-4', TONES[tone])}>
          {icon}
        </span>
        <span aria-hidden="true" className="w-px flex-1 bg-line group-last/entry:hidden" />
      </div>
      <div className="grid min-w-0 gap-2.5 pt-1 pb-6 group-last/entry:pb-1">
        <header className="flex flex-wrap items-center gap-x-2.5 gap-y-1.5">
          <h4 className="text-sm font-semibold">{title}</h4>
          {badges}
          <time
            dateTime={new Date(at).toISOString()}
            title={formatDateTimeFull(at)}
            className="ml-auto text-[0.8125rem] whitespace-nowrap text-ink-faint tabular-nums"
          >
            {formatTimeOfDay(at)}
          </time>
        </header>
        {children}
        {actions != null && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
    </article>
  );
}
