import { Link, type LinkProps } from '@tanstack/react-router';
import {
  Ban,
  FlaskConical,
  Inbox,
  LayoutDashboard,
  type LucideIcon,
  Megaphone,
  Send,
  Settings,
  ShieldCheck,
  ShieldX,
  Users,
} from 'lucide-react';
import { useIsAdmin } from '../api/role.ts';

type Entry = { to: NonNullable<LinkProps['to']>; label: string; icon: LucideIcon; isExact?: boolean };

const GROUPS: readonly { title: string | null; entries: readonly Entry[] }[] = [
  {
    title: null,
    entries: [
      { to: '/', label: 'Overview', icon: LayoutDashboard, isExact: true },
      { to: '/leads', label: 'Leads', icon: Users },
      { to: '/submissions', label: 'Submissions', icon: Inbox },
      { to: '/campaigns', label: 'Campaigns', icon: Megaphone },
      { to: '/deliveries', label: 'Deliveries', icon: Send },
    ],
  },
  {
    title: 'Filtered',
    entries: [
      { to: '/rejected', label: 'Rejected', icon: Ban },
      { to: '/testing', label: 'Testing', icon: FlaskConical },
      { to: '/blocked-ips', label: 'Blocked IPs', icon: ShieldX },
      { to: '/whitelisted-ips', label: 'Whitelisted IPs', icon: ShieldCheck },
    ],
  },
];
const SETTINGS: Entry = { to: '/settings', label: 'Settings', icon: Settings };

export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const isAdmin = useIsAdmin();
  const groups = isAdmin ? [...GROUPS, { title: 'Setup', entries: [SETTINGS] }] : GROUPS;
  return (
    <nav aria-label="Main" className="grid gap-5">
      {groups.map(({ title, entries }) => (
        <div key={title} className="grid gap-0.5">
          {title !== null && <p className="px-3 pb-1 text-xs font-medium text-ink-faint">{title}</p>}
          {entries.map(({ to, label, icon: Icon, isExact = false }) => (
            <Link
              key={to}
              to={to}
              {...(onNavigate === undefined ? {} : { onClick: onNavigate })}
              activeOptions={{ exact: isExact, includeSearch: false }}
              className="flex h-9 items-center gap-3 rounded-lg px-3 font-medium text-ink-soft hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent-text"
            >
              <Icon aria-hidden="true" className="size-[1.125rem]" />
              {label}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  );
}
