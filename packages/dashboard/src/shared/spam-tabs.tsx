import { Link, useLocation } from '@tanstack/react-router';
import { classes } from '../ui/classes.ts';
import { SEGMENT, SEGMENT_ROW } from '../ui/segment.ts';

const TABS = [
  { to: '/rejected', label: 'Rejected' },
  { to: '/testing', label: 'Testing' },
  { to: '/blocked-ips', label: 'Blocked IPs' },
  { to: '/whitelisted-ips', label: 'Whitelisted IPs' },
] as const;

/** The leads that are set aside, and the IP lists that decide it. */
export function SpamTabs() {
  const { pathname } = useLocation();
  return (
    <nav aria-label="Spam and tests" className="min-w-0">
      <ul className={classes(SEGMENT_ROW, 'w-max')}>
        {TABS.map(({ to, label }) => (
          <li key={to} className="shrink-0">
            <Link
              to={to}
              activeProps={{}}
              aria-current={pathname === to ? 'page' : undefined}
              className={SEGMENT}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
