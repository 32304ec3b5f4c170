import { LEAD_STATUSES, type LeadStatus } from '@leadtrail/contract/lead-status';
import { CheckCheck, Download, Milestone, Send, ShieldX, X } from 'lucide-react';
import { useState } from 'react';
import { useIsAdmin } from '../../api/role.ts';
import { counted, formatNumber } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { statusName } from '../../ui/status-badge.tsx';
import { BulkQuestion } from './bulk-question.tsx';
import { exportLeads } from './export-leads.ts';
import { filtersOf, type ScopedSearch } from './queries.ts';
import { type BulkAction, type Meant, useBulk } from './use-bulk.ts';
import type { Selection } from './use-selection.ts';

/** What can be done to the chosen leads. */
export function BulkBar({
  search,
  selection,
  total,
  isPageSelected,
}: {
  search: ScopedSearch;
  selection: Selection;
  /** How many match. */
  total: number;
  isPageSelected: boolean;
}) {
  const isAdmin = useIsAdmin();
  const [asked, ask] = useState<BulkAction>();
  const bulk = useBulk({ onDone: selection.clear });
  const { ids, isAllMatching } = selection;
  const count = isAllMatching ? total : ids.size;
  // The service acts on all that match by filters, which cannot express the leads behind a figure.
  const canTakeAll = search.behind === undefined && isPageSelected && !isAllMatching && total > ids.size;
  const meant = (): Meant => (isAllMatching ? { filter: filtersOf(search) } : { ids: [...ids] });
  const run = (act: BulkAction) => bulk.mutate({ meant: meant(), act });
  /** Confirms an action on all that match, which may be thousands, of every site; ticked ones are in view. */
  const askForAll = (act: BulkAction) => (isAllMatching ? ask(act) : run(act));
  const moveTo = (status: LeadStatus) => askForAll({ action: 'stage', status });
  const isBusy = bulk.isPending;
  const small = { size: 'small', disabled: isBusy } as const;

  return (
    <section
      aria-label="Selected leads"
      className="sticky top-14 z-10 flex min-h-12 items-start gap-2 border-b border-line bg-accent-soft px-4 py-1.5 sm:items-center sm:px-5 lg:top-0"
    >
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-1.5">
        <p
          aria-live="polite"
          className="mr-1 font-medium tabular-nums max-sm:flex max-sm:min-h-11 max-sm:w-full max-sm:items-center"
        >
          {isBusy ? `Working on ${counted(count, 'lead')}…` : `${counted(count, 'lead')} selected`}
        </p>
        {canTakeAll && (
          <Button {...small} onClick={selection.setAllMatching}>
            Select all {formatNumber(total)} that match
          </Button>
        )}
        <Menu
          trigger={
            <Button {...small} icon={<Milestone aria-hidden="true" />}>
              <Label>Stage</Label>
            </Button>
          }
          entries={LEAD_STATUSES.map((status) => ({
            label: statusName(status),
            onSelect: () => moveTo(status),
          }))}
        />
        <Button
          {...small}
          icon={<CheckCheck aria-hidden="true" />}
          onClick={() => askForAll({ action: 'review' })}
        >
          <Label>Mark reviewed</Label>
        </Button>
        <Button
          {...small}
          icon={<ShieldX aria-hidden="true" />}
          title={`Moves them to ${statusName('fake')}`}
          onClick={() => moveTo('fake')}
        >
          <Label>Not a lead</Label>
        </Button>
        {isAdmin && (
          <Button {...small} icon={<Send aria-hidden="true" />} onClick={() => ask({ action: 'forward' })}>
            <Label>Send</Label>
          </Button>
        )}
        <Button
          {...small}
          icon={<Download aria-hidden="true" />}
          onClick={() =>
            void exportLeads(isAllMatching ? filtersOf(search) : { ids: [...ids].join() }, 'csv')
          }
        >
          <Label>Export</Label>
        </Button>
      </div>
      <Button
        {...small}
        look="ghost"
        aria-label="Clear selection"
        icon={<X aria-hidden="true" />}
        onClick={selection.clear}
      />
      <BulkQuestion
        asked={asked}
        count={count}
        filters={filtersOf(search)}
        onClose={() => ask(undefined)}
        onConfirm={(act) => {
          ask(undefined);
          run(act);
        }}
      />
    </section>
  );
}

/** A phone has room for the icons only. */
function Label({ children }: { children: string }) {
  return <span className="max-sm:sr-only">{children}</span>;
}
