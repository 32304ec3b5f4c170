import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { settingsPlace } from '../../shared/settings-place.ts';
import { SECTIONS } from './sections.tsx';

/** A sidebar; rows of links where there is no room for it, and one that scrolls on a phone. */
export function SectionNavigation({ current }: { current: string | undefined }) {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    if (current === undefined) return;
    const link = row.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (row.current && link) row.current.scrollLeft = link.offsetLeft - row.current.clientWidth / 3;
  }, [current]);
  return (
    <nav
      ref={row}
      aria-label="Settings"
      className="relative -mx-4 flex gap-1 overflow-x-auto px-4 py-1 [scrollbar-width:none] sm:-mx-3 sm:flex-wrap sm:overflow-visible sm:p-0 xl:sticky xl:top-6 xl:mx-0 xl:grid xl:content-start xl:gap-0.5 xl:self-start"
    >
      {SECTIONS.map(({ slug, title, icon: Icon }) => (
        <Link
          key={slug}
          {...settingsPlace(slug)}
          activeProps={{}}
          aria-current={slug === current ? 'page' : undefined}
          className="flex h-10 shrink-0 items-center gap-2.5 rounded-lg px-3 font-medium whitespace-nowrap text-ink-soft hover:bg-sunken hover:text-ink chosen:bg-accent-soft chosen:text-accent-text sm:h-9"
        >
          <Icon aria-hidden="true" className="size-4" />
          {title}
        </Link>
      ))}
    </nav>
  );
}
