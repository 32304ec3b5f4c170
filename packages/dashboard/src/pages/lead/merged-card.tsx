import { Split } from 'lucide-react';
import { useIsAdmin } from '../../api/role.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Time } from '../../ui/time.tsx';
import type { LeadDetail } from './data.ts';
import { otherName, useUnmerging } from './use-merging.ts';

/** Leads that were merged into this one. */
export function MergedCard({ detail: { lead, merged } }: { detail: LeadDetail }) {
  const isAdmin = useIsAdmin();
  const { mutate, isPending, variables } = useUnmerging(lead);
  if (merged.length === 0) return null;
  return (
    <Card title="Merged leads" hint="What they brought is part of this lead.">
      <ul className="grid gap-4">
        {merged.map((other) => (
          <li key={other.lead_id} className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5">
            <div className="grid min-w-0 gap-0.5">
              <span className="font-medium wrap-anywhere">{otherName(other)}</span>
              <span className="text-xs text-ink-faint">
                Merged <Time value={other.merged_at} />
              </span>
            </div>
            {isAdmin && (
              <Button
                size="small"
                icon={<Split aria-hidden="true" />}
                isBusy={isPending && variables.lead_id === other.lead_id}
                aria-label={`Undo merge of ${otherName(other)}`}
                onClick={() => mutate(other)}
              >
                Undo merge
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
