import type { LeadItem } from '@leadtrail/contract/lead-records';
import { memo } from 'react';
import { personName } from '../../shared/person-name.ts';
import { classes } from '../../ui/classes.ts';
import { Dotted } from '../../ui/dotted.tsx';
import { EngagementBadge } from '../../ui/engagement-badge.tsx';
import { riskOf } from '../../ui/risk.ts';
import { Time } from '../../ui/time.tsx';
import { LeadMarks, ReviewDot, RiskBadge } from './lead-badges.tsx';
import { StageButton } from './stage-menu.tsx';

const CELL = 'px-3 py-2.5 align-middle';

/** A lead in the table, memoised by its lead. */
export const LeadRow = memo(function LeadRow({
  lead,
  hrefOf,
}: {
  lead: LeadItem;
  hrefOf: (leadId: number) => string;
}) {
  const isNew = lead.needs_review === 1;
  return (
    <tr
      data-lead={lead.lead_id}
      className="cursor-pointer border-b border-line last:border-b-0 focus-within:bg-accent-soft/50 hover:bg-sunken/50"
    >
      <th scope="row" className={classes(CELL, 'pl-4 text-left font-normal sm:pl-5')}>
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          {/* Keeps dot and name on one line. */}
          <span className="flex max-w-full min-w-0 items-center gap-2">
            {isNew && <ReviewDot />}
            <a
              href={hrefOf(lead.lead_id)}
              className={classes('min-w-0 truncate hover:underline', isNew ? 'font-semibold' : 'font-medium')}
            >
              {personName(lead)}
            </a>
          </span>
          <LeadMarks lead={lead} />
        </div>
        <Contact lead={lead} />
        <div className="mt-1.5 flex flex-wrap items-center gap-1.5 text-[0.8125rem] text-ink-soft @4xl:hidden">
          <EngagementBadge lead={lead} />
          {riskOf(lead.suspicion_score).isRaised && <RiskBadge score={lead.suspicion_score} hasLabel />}
          <span className="min-w-0 truncate @2xl:hidden">
            <Dotted
              parts={[lead.project_name, <Time key="enquired" value={lead.enquiry_datetime} isAgo />]}
            />
          </span>
        </div>
      </th>
      <td className={classes(CELL, 'hidden @2xl:table-cell')}>
        <div className="truncate">{lead.project_name || <None />}</div>
        <div className="truncate text-[0.8125rem] text-ink-faint">{lead.project_source}</div>
      </td>
      <td className={classes(CELL, 'hidden @2xl:table-cell')}>
        <Time value={lead.enquiry_datetime} isAgo />
        {lead.last_follow_up_at !== null && (
          <div className="text-[0.8125rem] whitespace-nowrap text-ink-faint">
            Again <Time value={lead.last_follow_up_at} isAgo />
          </div>
        )}
      </td>
      <td className={classes(CELL, 'hidden @4xl:table-cell')}>
        <EngagementBadge lead={lead} />
      </td>
      <td className={classes(CELL, 'hidden @4xl:table-cell')}>
        <RiskBadge score={lead.suspicion_score} />
      </td>
      <td className={classes(CELL, 'pr-4 sm:pr-5')}>
        <StageButton lead={lead} />
      </td>
    </tr>
  );
});

/** E-mail and phone, unless they are shown as the name. */
function Contact({ lead }: { lead: LeadItem }) {
  const shown = [lead.contact_email, lead.contact_phone].filter(
    (each) => each !== '' && each !== personName(lead),
  );
  if (shown.length === 0) return null;
  return (
    <div className="truncate text-[0.8125rem] text-ink-faint">
      <Dotted parts={shown} />
    </div>
  );
}

function None() {
  return (
    <span className="text-ink-faint">
      <span aria-hidden="true">–</span>
      <span className="sr-only">None</span>
    </span>
  );
}
