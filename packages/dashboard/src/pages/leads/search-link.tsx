import { useLinkProps } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { bringIntoRow } from '../../ui/bring-into-row.ts';
import { classes } from '../../ui/classes.ts';
import { SEGMENT, SEGMENT_ROW } from '../../ui/segment.ts';
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
      <ul className={SEGMENT_ROW}>{children}</ul>
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
      <a {...link} aria-current={isCurrent ? 'page' : undefined} className={SEGMENT}>
        {children}
      </a>
    </li>
  );
}
