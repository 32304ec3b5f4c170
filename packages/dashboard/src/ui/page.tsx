import { type ReactNode, useEffect } from 'react';
import { classes } from './classes.ts';

/** A longer title, such as a person's name, gets its own line instead of wrapping beside the buttons. */
const TITLE_CHARS_BESIDE_ACTIONS = 40;

/** A page with its heading, which is also the title of the window. */
export function Page({
  title,
  hint,
  actions,
  children,
}: {
  title: string;
  hint?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Leadtrail`;
  }, [title]);
  const isLong = title.length > TITLE_CHARS_BESIDE_ACTIONS;
  return (
    <div className="mx-auto grid w-full max-w-[112rem] gap-4 px-4 py-5 sm:gap-5 sm:px-6 sm:py-6 lg:px-8 print:p-0">
      <header
        className={classes(
          'flex flex-wrap items-center justify-between gap-x-6 gap-y-3',
          !isLong && 'sm:flex-nowrap',
        )}
      >
        <div className={classes('min-w-0', isLong && 'basis-full')}>
          <h1 className="text-xl wrap-anywhere sm:text-[1.375rem]">{title}</h1>
          {hint != null && <p className="mt-0.5 text-pretty wrap-anywhere text-ink-soft">{hint}</p>}
        </div>
        {actions != null && (
          // Reserves the height of buttons that appear once their data has loaded.
          <div className="flex flex-wrap items-center gap-2 max-sm:min-h-11 sm:shrink-0 print:hidden">
            {actions}
          </div>
        )}
      </header>
      {children}
    </div>
  );
}
