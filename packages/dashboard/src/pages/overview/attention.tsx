import type { LinkProps } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleX, Clock, FormInput, Inbox, ShieldQuestion, Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import { useIsAdmin } from '../../api/role.ts';
import { counted, formatDay } from '../../format.ts';
import { useValueName } from '../../frame/value-name.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { type Listed, type Needs, REJECTED_WHEN, SITES, useNeeds } from './needs.ts';

type Item = { key: string; icon: ReactNode; title: string; hint: string; link: LinkProps };

/** What needs attention, each with a link to it. Covers all sites: the frame does not apply. */
export function Attention({ className }: { className?: string }) {
  const isAdmin = useIsAdmin();
  const { needs, isLoading, failed } = useNeeds();
  const nameOf = useValueName();
  const items = itemsOf(needs, isAdmin, (key) => nameOf({ dimension: 'site', value: key }));
  return (
    <Card title="Needs attention" isFlush {...(className === undefined ? {} : { className })}>
      {isLoading ? (
        <div role="status" aria-label="Loading" className="px-4 pb-4 sm:px-5">
          <Skeleton className="h-28" />
        </div>
      ) : items.length === 0 && failed.length === 0 ? (
        <NothingNeeded isNew={needs.isNew} />
      ) : (
        <ul className="divide-y divide-line border-t border-line">
          {items.map(({ key, icon, title, hint, link }) => (
            <li key={key}>
              <Link
                {...link}
                className="flex items-center gap-3 px-4 py-3 -outline-offset-2 hover:bg-sunken/50 sm:px-5"
              >
                <span className="text-warning [&_svg]:size-5">{icon}</span>
                <span className="grid min-w-0">
                  <span className="font-medium wrap-anywhere">{title}</span>
                  <span className="text-[0.8125rem] text-ink-soft">{hint}</span>
                </span>
              </Link>
            </li>
          ))}
          {failed.map((message) => (
            <li key={message} className="px-4 py-3 text-[0.8125rem] text-warning sm:px-5">
              Not everything could be checked: {message}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function NothingNeeded({ isNew }: { isNew: boolean }) {
  return (
    <EmptyState
      icon={<CircleCheck aria-hidden="true" />}
      title={isNew ? 'Nothing needs attention yet' : 'All is well'}
    >
      {isNew
        ? 'Failed deliveries, sites and forms that go quiet, and leads to review will appear here.'
        : 'No delivery has failed, no site or form has gone quiet, and every lead has been seen.'}
    </EmptyState>
  );
}

function countedAmong({ count, isAtLeast }: Listed, noun: string, nouns: string): string {
  return `${isAtLeast ? 'At least ' : ''}${counted(count, noun, nouns)}`;
}

/** Clears the frame, which does not apply here. */
const ALL = { when: 'all', sites: undefined, filters: undefined };

function itemsOf(
  { failed, late, hasTrackingStopped, quietSites, quietForms, toReview, rejected }: Needs,
  isAdmin: boolean,
  siteName: (key: string) => string,
): Item[] {
  const items: Item[] = [];
  if (failed > 0) {
    items.push({
      key: 'failed',
      icon: <CircleX aria-hidden="true" />,
      title: `${counted(failed, 'delivery', 'deliveries')} failed`,
      hint: `No further attempts are made. ${isAdmin ? 'Resend by hand.' : 'The admin key can resend.'}`,
      link: { to: '/deliveries', search: { status: 'failed', ...ALL } as never },
    });
  }
  if (late.count > 0) {
    items.push({
      key: 'late',
      icon: <Clock aria-hidden="true" />,
      title: `${countedAmong(late, 'delivery', 'deliveries')} late`,
      hint: 'Tried at least once, and will be tried again.',
      link: { to: '/deliveries', search: { status: 'pending', ...ALL } as never },
    });
  }
  if (hasTrackingStopped) {
    items.push({
      key: 'tracking',
      icon: <Unplug aria-hidden="true" />,
      title: 'Tracking has stopped',
      hint: `No site had a visit in the last ${SITES.days} days. Is the code still in its pages?`,
      link: { to: '/', search: { when: 'last_90_days', sites: undefined } as never },
    });
  }
  for (const { name, lastDay } of quietSites) {
    items.push({
      key: `site ${name}`,
      icon: <Unplug aria-hidden="true" />,
      title: `No visits to ${siteName(name)}`,
      hint: `The last visits were on ${formatDay(lastDay)}. Is the code still in its pages?`,
      link: { to: '/', search: { sites: name } as never },
    });
  }
  for (const { name, lastDay } of quietForms) {
    items.push({
      key: `form ${name}`,
      icon: <FormInput aria-hidden="true" />,
      title: `No submissions from ${name}`,
      hint: `The last was on ${formatDay(lastDay)}. Try the form yourself.`,
      link: { to: '/', search: { filters: [`form:${name}`], when: 'last_90_days' } as never },
    });
  }
  if (rejected.count > 0) {
    items.push({
      key: 'rejected',
      icon: <ShieldQuestion aria-hidden="true" />,
      title: `${countedAmong(rejected, 'rejected lead has', 'rejected leads have')} contact details`,
      hint:
        rejected.count === 1 && !rejected.isAtLeast
          ? 'Rejected in the last 7 days. Check that it is not a real lead.'
          : 'Rejected in the last 7 days. Check that none of them is a real lead.',
      link: { to: '/rejected', search: { when: REJECTED_WHEN, sites: undefined } as never },
    });
  }
  if (toReview > 0) {
    items.push({
      key: 'review',
      icon: <Inbox aria-hidden="true" />,
      title: `${counted(toReview, 'lead')} to review`,
      hint: 'New, or with a follow-up since the last review.',
      link: { to: '/leads', search: { seen: false, ...ALL } as never },
    });
  }
  return items;
}
