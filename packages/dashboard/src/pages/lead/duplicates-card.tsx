import { Link } from '@tanstack/react-router';
import { Merge } from 'lucide-react';
import { useState } from 'react';
import { useIsAdmin } from '../../api/role.ts';
import { personName } from '../../shared/person-name.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useLastGiven } from '../../ui/use-last-given.ts';
import type { Lead, LeadDetail, PossibleDuplicate } from './data.ts';
import { IDENTITY_NAMES } from './identity-names.ts';
import { otherName, useMerging } from './use-merging.ts';

type Duplicate = Pick<PossibleDuplicate, 'lead_id' | 'contact_name'> & {
  shared: Pick<PossibleDuplicate, 'kind' | 'value'>[];
};

/** Leads of the project that may be the same person. */
export function DuplicatesCard({ detail: { lead, possible_duplicates } }: { detail: LeadDetail }) {
  const isAdmin = useIsAdmin();
  const [asked, setAsked] = useState<Duplicate>();
  const duplicates = byLead(possible_duplicates);
  return (
    <>
      {duplicates.length > 0 && (
        <Card title="Possible duplicates" hint="Leads that share contact details or a browser with this one.">
          <ul className="grid gap-4">
            {duplicates.map((duplicate) => (
              <li key={duplicate.lead_id} className="grid justify-items-start gap-1.5">
                <Link
                  to="/leads/$leadId"
                  params={{ leadId: String(duplicate.lead_id) }}
                  className="font-medium wrap-anywhere underline decoration-line-strong underline-offset-2 max-sm:py-2"
                >
                  {otherName(duplicate)}
                </Link>
                <Shared identities={duplicate.shared} />
                {isAdmin && (
                  <Button
                    size="small"
                    className="mt-0.5"
                    icon={<Merge aria-hidden="true" />}
                    aria-label={`Merge into this lead: ${otherName(duplicate)}`}
                    onClick={() => setAsked(duplicate)}
                  >
                    Merge into this lead
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </Card>
      )}
      <MergeDialog lead={lead} other={asked} onClose={() => setAsked(undefined)} />
    </>
  );
}

function Shared({ identities }: { identities: Duplicate['shared'] }) {
  return (
    <ul className="grid gap-0.5 text-[0.8125rem] text-ink-soft">
      {identities.map(({ kind, value }) => (
        <li key={kind} className="wrap-anywhere">
          Same {IDENTITY_NAMES[kind]}{' '}
          <bdi className={kind === 'visitor' ? 'font-mono text-xs' : ''}>{value}</bdi>
        </li>
      ))}
    </ul>
  );
}

function MergeDialog({
  lead,
  other,
  onClose,
}: {
  lead: Lead;
  other: Duplicate | undefined;
  onClose: () => void;
}) {
  const merging = useMerging(lead);
  const current = useLastGiven(other);
  const name = current === null ? '' : otherName(current);
  return (
    <ConfirmDialog
      isOpen={other !== undefined}
      onClose={onClose}
      onConfirm={() => other && merging.mutate(other, { onSettled: onClose })}
      title={`Merge ${name} into ${personName(lead)}?`}
      action="Merge"
      look="primary"
      isBusy={merging.isPending}
    >
      <p>
        All submissions, visits, deliveries and CRM events of {name} move to this lead. The details of the
        earlier lead are shown, and the stage that is further along is kept.
      </p>
      <p>Links to {name} then open this lead. Nothing is sent to your automation platform.</p>
      <p>You can undo the merge.</p>
    </ConfirmDialog>
  );
}

/** Groups the rows, one per shared identity, by lead. */
function byLead(rows: readonly PossibleDuplicate[]): Duplicate[] {
  const duplicates = new Map<number, Duplicate>();
  for (const { lead_id, contact_name, kind, value } of rows) {
    const known = duplicates.get(lead_id) ?? { lead_id, contact_name, shared: [] };
    known.shared.push({ kind, value });
    duplicates.set(lead_id, known);
  }
  return [...duplicates.values()];
}
