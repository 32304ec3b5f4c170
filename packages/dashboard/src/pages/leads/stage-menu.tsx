import { Menu } from '@base-ui/react/menu';
import type { LeadItem } from '@leadtrail/contract/lead-records';
import { LEAD_STATUSES, type LeadStatus } from '@leadtrail/contract/lead-status';
import { Check, ChevronDown, Ellipsis } from 'lucide-react';
import { personName } from '../../shared/person-name.ts';
import type { MoveStage } from '../../shared/use-move-stage.ts';
import { classes } from '../../ui/classes.ts';
import { StatusBadge, statusName } from '../../ui/status-badge.tsx';

/** One menu shared by all rows: a menu per row is slow to render. */
const stageMenu = Menu.createHandle<LeadItem>();

export function StageMenu({ onMove }: { onMove: MoveStage }) {
  return (
    <Menu.Root handle={stageMenu} modal={false}>
      {({ payload: lead }) => (
        <Menu.Portal>
          <Menu.Positioner sideOffset={4} align="end" className="z-50 outline-none">
            <Menu.Popup className="min-w-40 rounded-lg border border-line bg-raised p-1 shadow-raised outline-none">
              {lead !== undefined && (
                <Menu.RadioGroup
                  value={lead.status}
                  onValueChange={(status) => onMove(lead, status as LeadStatus)}
                >
                  <Menu.Group>
                    <Menu.GroupLabel className="px-2 pt-1 pb-1.5 text-xs text-ink-faint">
                      Move to
                    </Menu.GroupLabel>
                    {LEAD_STATUSES.map((status) => (
                      <StageItem key={status} status={status} />
                    ))}
                  </Menu.Group>
                </Menu.RadioGroup>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      )}
    </Menu.Root>
  );
}

function StageItem({ status }: { status: LeadStatus }) {
  return (
    <Menu.RadioItem
      value={status}
      closeOnClick
      className="grid cursor-default grid-cols-[1rem_1fr] items-center gap-2 rounded-md px-2 py-1.5 text-sm outline-none data-highlighted:bg-sunken data-highlighted:shadow-[inset_3px_0_var(--accent)] max-sm:py-2.5"
    >
      <Menu.RadioItemIndicator>
        <Check aria-hidden="true" className="size-3.5 text-accent-text" />
      </Menu.RadioItemIndicator>
      <span className="col-start-2">{statusName(status)}</span>
    </Menu.RadioItem>
  );
}

export function StageButton({ lead }: { lead: LeadItem }) {
  return (
    <Menu.Trigger
      handle={stageMenu}
      payload={lead}
      aria-label={`Stage of ${personName(lead)}: ${statusName(lead.status)}`}
      className="-mx-1 inline-flex h-8 items-center gap-1 rounded-lg px-1 hover:bg-sunken max-sm:h-11"
    >
      <StatusBadge status={lead.status} />
      <ChevronDown aria-hidden="true" className="size-3.5 text-ink-faint" />
    </Menu.Trigger>
  );
}

/** For the board, where the column is the stage. */
export function MoveButton({ lead, className }: { lead: LeadItem; className?: string }) {
  return (
    <Menu.Trigger
      handle={stageMenu}
      payload={lead}
      aria-label={`Move ${personName(lead)}`}
      className={classes(
        'grid size-7 shrink-0 place-items-center rounded-md text-ink-faint hover:bg-sunken hover:text-ink max-sm:size-10',
        className,
      )}
    >
      <Ellipsis aria-hidden="true" className="size-4" />
    </Menu.Trigger>
  );
}
