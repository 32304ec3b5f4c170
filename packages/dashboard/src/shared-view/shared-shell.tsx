import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useViewer } from '../api/role.ts';
import { formatDate } from '../format.ts';
import { useWorkspaceTimes } from '../frame/use-workspace.ts';
import icon from '../icon.svg';
import { GeoCredit } from '../shell/geo-credit.tsx';
import { PageAnnouncer } from '../shell/page-announcer.tsx';
import { useTimeZone } from '../time-zone.ts';

const PAGES = [
  { to: '/', label: 'Overview' },
  { to: '/campaigns', label: 'Campaigns' },
] as const;

/** The shell of a shared link: its name, its two pages and its expiry, nothing else. */
export function SharedShell() {
  useWorkspaceTimes();
  useTimeZone();
  const shared = useViewer().data?.shared;
  const { pathname } = useLocation();
  return (
    <div className="flex min-h-dvh flex-col print:block print:min-h-0">
      <PageAnnouncer />
      <header className="border-b border-line bg-surface print:hidden">
        <div className="mx-auto flex w-full max-w-[112rem] flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3 sm:px-6 lg:px-8">
          <p className="flex min-w-0 items-center gap-2.5 text-base font-semibold tracking-tight">
            <img src={icon} alt="" className="size-7" />
            <span className="min-w-0 wrap-anywhere">{shared?.name ?? 'Leadtrail'}</span>
          </p>
          <nav aria-label="Main" className="flex gap-1">
            {PAGES.map(({ to, label }) => (
              <Link
                key={to}
                to={to}
                activeProps={{}}
                aria-current={pathname === to ? 'page' : undefined}
                className="flex h-9 items-center rounded-lg px-3 font-medium text-ink-soft hover:bg-sunken hover:text-ink chosen:bg-accent-soft chosen:text-accent-text"
              >
                {label}
              </Link>
            ))}
          </nav>
          {shared !== undefined && (
            <p className="text-[0.8125rem] text-ink-faint sm:ml-auto">
              Read only, until {formatDate(shared.expires_at)}
            </p>
          )}
        </div>
      </header>
      <main id="content" tabIndex={-1} className="min-w-0 flex-1 outline-none">
        <Outlet />
      </main>
      <GeoCredit />
    </div>
  );
}
