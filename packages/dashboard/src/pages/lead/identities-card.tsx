import { Mail, MonitorSmartphone, Phone } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Time } from '../../ui/time.tsx';
import type { LeadDetail, LeadIdentity, LeadSubmission } from './data.ts';
import { IDENTITY_NAMES } from './identity-names.ts';

const ICONS = { email: Mail, phone: Phone, visitor: MonitorSmartphone } as const;
const SHOWN_AT_FIRST = 6;

/** What the person is recognised by, and which submission brought it. */
export function IdentitiesCard({ detail: { identities, submissions } }: { detail: LeadDetail }) {
  const [isWhole, setWhole] = useState(false);
  const primary = identities.filter(({ is_primary }) => is_primary);
  const others = identities.filter(({ is_primary }) => !is_primary);
  const shown = isWhole ? others : others.slice(0, SHOWN_AT_FIRST);
  if (identities.length === 0) return null;
  return (
    <Card title="Recognised by" hint="Submissions to this project with any of these join this lead.">
      <div className="grid gap-4">
        {primary.length > 0 && (
          <Identities identities={primary} submissions={submissions} isMarked={others.length > 0} />
        )}
        {others.length > 0 && (
          <section className="grid gap-2.5">
            <h3 className="text-[0.8125rem] font-medium">Also wrote from</h3>
            <Identities identities={shown} submissions={submissions} />
            {others.length > shown.length && (
              <button
                type="button"
                onClick={() => setWhole(true)}
                className="justify-self-start text-[0.8125rem] font-medium text-accent-text hover:underline max-sm:min-h-11"
              >
                Show all {others.length}
              </button>
            )}
          </section>
        )}
      </div>
    </Card>
  );
}

function Identities({
  identities,
  submissions,
  isMarked = false,
}: {
  identities: readonly LeadIdentity[];
  submissions: readonly LeadSubmission[];
  /** Marks the primary identities if there are others. */
  isMarked?: boolean;
}) {
  return (
    <ul className="grid gap-2.5">
      {identities.map((identity) => (
        <IdentityRow
          key={`${identity.kind} ${identity.value}`}
          identity={identity}
          submission={submissions.find(({ submission_id }) => submission_id === identity.submission_id)}
          isMarked={isMarked}
        />
      ))}
    </ul>
  );
}

function IdentityRow({
  identity: { kind, value, first_seen_at },
  submission,
  isMarked,
}: {
  identity: LeadIdentity;
  submission: LeadSubmission | undefined;
  isMarked: boolean;
}) {
  const Icon = ICONS[kind];
  return (
    <li className="grid grid-cols-[1.25rem_minmax(0,1fr)] items-start gap-x-2.5 gap-y-0.5">
      <Icon aria-hidden="true" className="mt-0.5 size-4 text-ink-faint" />
      <span className={kind === 'visitor' ? 'font-mono text-xs leading-5 break-all' : 'wrap-anywhere'}>
        <span className="sr-only">{IDENTITY_NAMES[kind]} </span>
        <bdi>{value}</bdi>
      </span>
      <span className="col-start-2 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-ink-faint">
        {isMarked && <Badge title="From the submission whose details are shown">Primary</Badge>}
        <span>
          {submission !== undefined &&
            `${submission.is_primary_lead === 1 ? 'First submission' : 'Follow-up'}, `}
          <Time value={first_seen_at} />
        </span>
      </span>
    </li>
  );
}
