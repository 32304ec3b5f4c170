import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export function Card({
  title,
  hint,
  actions,
  children,
  className,
  isFlush = false,
}: {
  title?: ReactNode;
  hint?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
  /** Without padding, for tables and lists. */
  isFlush?: boolean;
}) {
  return (
    <section className={classes('min-w-0 rounded-xl border border-line bg-surface', className)}>
      {title != null && (
        <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 pt-3.5 pb-3 sm:px-5">
          {/* A long hint makes room for the actions rather than pushing them to the next line. */}
          <div className={classes('min-w-0', hint != null && 'flex-[1_1_15rem]')}>
            <h2 className="text-[0.9375rem]">{title}</h2>
            {hint != null && <p className="mt-0.5 text-[0.8125rem] text-pretty text-ink-faint">{hint}</p>}
          </div>
          {actions != null && actions !== false && <div className="contents print:hidden">{actions}</div>}
        </header>
      )}
      <div
        className={classes(
          !isFlush && 'px-4 pb-4 sm:px-5 sm:pb-5',
          !isFlush && title == null && 'pt-4 sm:pt-5',
        )}
      >
        {children}
      </div>
    </section>
  );
}
