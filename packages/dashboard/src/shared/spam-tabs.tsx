import { Link, useLocation } from '@tanstack/react-router';

const TABS = [
  { to: '/rejected', label: 'Rejected' },
  { to: '/testing', label: 'Testing' },
  { to: '/blocked-ips', label: 'Blocked IPs' },
  { to: '/whitelisted-ips', label: 'Whitelisted IPs' },
] as const;

/** What is kept apart from the leads, and the addresses that decide it. */
export function SpamTabs() {
  const { pathname } = useLocation();
  return (
    <nav aria-label="Spam and tests" className="min-w-0">
      <ul className="inline-flex max-w-full gap-1 overflow-x-auto rounded-lg bg-sunken p-1 [scrollbar-width:none]">
        {TABS.map(({ to, label }) => (
          <li key={to} className="shrink-0">
            <Link
              to={to}
              activeProps={{}}
              aria-current={pathname === to ? 'page' : undefined}
              className="flex h-7 items-center rounded-md px-3 text-[0.8125rem] font-medium whitespace-nowrap text-ink-soft hover:text-ink aria-[current=page]:bg-surface aria-[current=page]:text-ink aria-[current=page]:shadow-sm max-sm:h-9"
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
