import { useLinkProps } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { bringIntoRow } from '../../ui/bring-into-row.ts';
import { classes } from '../../ui/classes.ts';
import type { LeadsSearch } from './search.ts';

export function SearchLinks({
  label,
  children,
  className,
}: {
  label: string;
  children: ReactNode;
  className?: string;
}) {
  return (
    <nav aria-label={label} className={classes('min-w-0', className)}>
      <ul className="relative flex max-w-full gap-1 overflow-x-auto rounded-lg bg-sunken p-1 [scrollbar-width:none]">
        {children}
      </ul>
    </nav>
  );
}

export function SearchLink({
  search,
  isCurrent,
  children,
}: {
  search: LeadsSearch;
  isCurrent: boolean;
  children: ReactNode;
}) {
  const { className: _, ...link } = useLinkProps({ to: '/leads', search, resetScroll: false });
  const place = useRef<HTMLLIElement>(null);
  // After every render: preceding links may have become wider.
  useEffect(() => {
    if (isCurrent && place.current !== null) bringIntoRow(place.current);
  });
  return (
    <li ref={place} className="shrink-0">
      <a
        {...link}
        aria-current={isCurrent ? 'page' : undefined}
        className="flex h-7 items-center gap-1.5 rounded-md px-3 text-[0.8125rem] font-medium whitespace-nowrap text-ink-soft hover:text-ink aria-[current=page]:bg-surface aria-[current=page]:text-ink aria-[current=page]:shadow-sm max-sm:h-9 [&_svg]:size-4"
      >
        {children}
      </a>
    </li>
  );
}
