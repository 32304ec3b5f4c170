import type { LeadItem } from '@leadtrail/contract/lead-records';
import { type KeyboardEvent, memo, type PointerEvent, type ReactNode } from 'react';
import { optionLabel } from '../../frame/option-label.tsx';
import { personName } from '../../shared/person-name.ts';
import { classes } from '../../ui/classes.ts';
import { Dotted } from '../../ui/dotted.tsx';
import { EngagementBadge } from '../../ui/engagement-badge.tsx';
import { riskOf } from '../../ui/risk.ts';
import { Time } from '../../ui/time.tsx';
import { LeadMarks, ReviewDot, RiskBadge } from './lead-badges.tsx';
import { MoveButton } from './stage-menu.tsx';

export const CARD_HELP_ID = 'board-card-help';

export type CardHandlers = {
  hrefOf: (leadId: number) => string;
  onPress: (event: PointerEvent<HTMLElement>, lead: LeadItem) => void;
  onKey: (event: KeyboardEvent<HTMLElement>, lead: LeadItem) => void;
  onLeave: () => void;
};

/** A lead on the board, memoised. */
export const BoardCard = memo(function BoardCard({
  lead,
  isHeld,
  handlers,
}: {
  lead: LeadItem;
  isHeld: boolean;
  handlers: CardHandlers;
}) {
  return (
    <li
      data-lead={lead.lead_id}
      onPointerDown={(event) => handlers.onPress(event, lead)}
      onDragStart={(event) => event.preventDefault()}
      className={classes(
        'cursor-grab rounded-lg border bg-surface select-none [-webkit-touch-callout:none]',
        isHeld ? 'border-accent opacity-60' : 'border-line hover:border-line-strong',
      )}
    >
      <CardFace lead={lead} action={<MoveButton lead={lead} className="-mr-1.5" />}>
        <a
          href={handlers.hrefOf(lead.lead_id)}
          draggable={false}
          aria-describedby={CARD_HELP_ID}
          onKeyDown={(event) => handlers.onKey(event, lead)}
          onBlur={isHeld ? handlers.onLeave : undefined}
          className="block truncate hover:underline"
        >
          {personName(lead)}
        </a>
      </CardFace>
    </li>
  );
});

/** The card under the pointer. */
export function CardGhost({
  lead,
  width,
  place,
}: {
  lead: LeadItem;
  width: number;
  place: (element: HTMLElement | null) => void;
}) {
  return (
    <div
      ref={place}
      aria-hidden="true"
      inert
      style={{ width }}
      className="pointer-events-none fixed top-0 left-0 z-50 rounded-lg border border-accent bg-raised shadow-raised"
    >
      <CardFace lead={lead}>
        <span className="block truncate">{personName(lead)}</span>
      </CardFace>
    </div>
  );
}

function CardFace({ lead, action, children }: { lead: LeadItem; action?: ReactNode; children: ReactNode }) {
  const isNew = lead.needs_review === 1;
  const hasProject = lead.project_name !== '' || lead.project_source !== '';
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5 p-3 pt-2">
      <div className="flex items-center gap-2">
        {isNew && <ReviewDot />}
        <div className={classes('min-w-0 flex-1', isNew ? 'font-semibold' : 'font-medium')}>{children}</div>
        {action}
      </div>
      <p className="truncate text-[0.8125rem] text-ink-soft">
        {hasProject ? (
          <Dotted
            parts={[optionLabel('project', lead.project_name), optionLabel('source', lead.project_source)]}
          />
        ) : (
          lead.contact_email
        )}
      </p>
      <div className="flex flex-wrap items-center gap-1.5 text-xs text-ink-faint">
        <Dotted
          parts={[
            <Time key="enquired" value={lead.enquiry_datetime} isAgo />,
            <EngagementBadge key="engagement" lead={lead} />,
          ]}
        />
        {riskOf(lead.suspicion_score).isRaised && <RiskBadge score={lead.suspicion_score} hasLabel />}
        <LeadMarks lead={lead} />
      </div>
    </div>
  );
}
