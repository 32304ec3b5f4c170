import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps, useLocation } from '@tanstack/react-router';
import {
  Footprints,
  Inbox,
  LayoutDashboard,
  type LucideIcon,
  Megaphone,
  Radio,
  Send,
  Settings,
  ShieldX,
  Users,
  Video,
} from 'lucide-react';
import { call } from '../api/client.ts';
import { queryKeys } from '../api/query-keys.ts';
import { useIsAdmin } from '../api/role.ts';
import { counted, formatShort } from '../format.ts';

type Waiting = 'leads' | 'deliveries';
type Entry = {
  to: NonNullable<LinkProps['to']>;
  label: string;
  icon: LucideIcon;
  /** Other pages that belong to it. */
  also?: readonly string[];
  waiting?: Waiting;
};

export const ENTRIES: readonly Entry[] = [
  { to: '/', label: 'Overview', icon: LayoutDashboard },
  { to: '/live', label: 'Live', icon: Radio },
  { to: '/visits', label: 'Visits', icon: Footprints },
  { to: '/leads', label: 'Leads', icon: Users, waiting: 'leads' },
  { to: '/submissions', label: 'Submissions', icon: Inbox },
  { to: '/campaigns', label: 'Campaigns', icon: Megaphone },
  { to: '/deliveries', label: 'Deliveries', icon: Send, waiting: 'deliveries' },
  { to: '/recordings', label: 'Recordings', icon: Video },
  {
    to: '/rejected',
    label: 'Spam and tests',
    icon: ShieldX,
    also: ['/testing', '/blocked-ips', '/whitelisted-ips'],
  },
];
export const SETTINGS: Entry = { to: '/settings', label: 'Settings', icon: Settings };

export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const isAdmin = useIsAdmin();
  const waiting = useWaiting();
  return (
    <nav aria-label="Main" className="grid gap-0.5">
      {[...ENTRIES, ...(isAdmin ? [SETTINGS] : [])].map((entry) => (
        <EntryLink
          key={entry.to}
          entry={entry}
          waiting={entry.waiting === undefined ? 0 : waiting[entry.waiting]}
          onNavigate={onNavigate}
        />
      ))}
    </nav>
  );
}

function EntryLink({
  entry: { to, label, icon: Icon, also = [], waiting: kind },
  waiting,
  onNavigate,
}: {
  entry: Entry;
  waiting: number;
  onNavigate: (() => void) | undefined;
}) {
  const { pathname } = useLocation();
  const isCurrent = to === '/' ? pathname === '/' : [to, ...also].some((path) => pathname.startsWith(path));
  return (
    <Link
      to={to}
      {...(onNavigate === undefined ? {} : { onClick: onNavigate })}
      activeProps={{}}
      aria-current={isCurrent ? 'page' : undefined}
      className="flex h-9 items-center gap-3 rounded-lg px-3 font-medium text-ink-soft hover:bg-sunken hover:text-ink chosen:bg-accent-soft chosen:text-accent-text"
    >
      <Icon aria-hidden="true" className="size-[1.125rem]" />
      {label}
      {waiting > 0 && (
        // The overview says the same in words.
        <span
          aria-hidden="true"
          title={
            kind === 'leads' ? counted(waiting, 'lead to review', 'leads to review') : `${waiting} failed`
          }
          className={`ml-auto rounded-full px-1.5 text-xs tabular-nums ${
            kind === 'leads' ? 'bg-sunken text-ink-soft' : 'bg-negative-soft text-negative'
          }`}
        >
          {formatShort(waiting)}
        </span>
      )}
    </Link>
  );
}

const POLL_MS = 60_000;

/** Counts of pending work. The queries are shared with the overview, which says the same in words. */
function useWaiting(): Record<Waiting, number> {
  const leads = useQuery({
    queryKey: queryKeys.need('review'),
    queryFn: ({ signal }) => call('leads', { query: { seen: false, limit: 1 }, signal }),
    refetchInterval: POLL_MS,
  });
  const sends = useQuery({
    queryKey: queryKeys.need('failed'),
    queryFn: ({ signal }) => call('flowSends', { query: { status: 'failed', limit: 1 }, signal }),
    refetchInterval: POLL_MS,
  });
  return { leads: leads.data?.total ?? 0, deliveries: sends.data?.total ?? 0 };
}
