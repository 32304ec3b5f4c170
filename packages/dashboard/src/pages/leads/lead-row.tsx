import type { LeadItem } from '@leadtrail/contract/lead-records';
import { memo } from 'react';
import { optionLabel } from '../../frame/option-label.tsx';
import { personName } from '../../shared/person-name.ts';
import { classes } from '../../ui/classes.ts';
import { Dotted } from '../../ui/dotted.tsx';
import { EngagementBadge } from '../../ui/engagement-badge.tsx';
import { riskOf } from '../../ui/risk.ts';
import { Time } from '../../ui/time.tsx';
import { LEAD_COLUMNS } from './columns.tsx';
import { LeadMarks, ReviewDot, RiskBadge } from './lead-badges.tsx';
import { RowCheckbox } from './row-checkbox.tsx';
import { StageButton } from './stage-menu.tsx';
import type { ColumnName } from './table-look.ts';

const CELL = 'px-3 py-2.5 align-middle group-data-compact/table:py-1';
/** The second line of a cell. */
const MORE = 'truncate text-[0.8125rem] text-ink-faint group-data-compact/table:hidden';

export const SHOWN_FROM = {
  medium: 'hidden @2xl:table-cell',
  wide: 'hidden @4xl:table-cell',
} as const;

/** A lead in the table, memoised by its lead. */
export const LeadRow = memo(function LeadRow({
  lead,
  columns,
  isSelected,
  onSelect,
  hrefOf,
}: {
  lead: LeadItem;
  columns: readonly ColumnName[];
  isSelected: boolean;
  onSelect: (leadId: number, isRange: boolean) => void;
  hrefOf: (leadId: number) => string;
}) {
  const isNew = lead.needs_review === 1;
  return (
    <tr
      data-lead={lead.lead_id}
      data-selected={isSelected || undefined}
      className="cursor-pointer border-b border-line last:border-b-0 focus-within:bg-accent-soft/50 hover:bg-sunken/50 data-selected:bg-accent-soft/50 data-selected:[--ink-faint:var(--ink-soft)]"
    >
      <td className="w-11 pl-1 align-middle sm:pl-2">
        <RowCheckbox
          label={`Select ${personName(lead)}`}
          isChecked={isSelected}
          onChange={(isRange) => onSelect(lead.lead_id, isRange)}
        />
      </td>
      <th scope="row" className={classes(CELL, 'pl-1 text-left font-normal max-sm:pr-0')}>
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 group-data-compact/table:flex-nowrap">
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
        <div className="mt-1.5 flex flex-wrap items-center gap-1.5 text-[0.8125rem] text-ink-soft group-data-compact/table:hidden @4xl:hidden">
          <EngagementBadge lead={lead} />
          {riskOf(lead.suspicion_score).isRaised && <RiskBadge score={lead.suspicion_score} hasLabel />}
          <span className="min-w-0 truncate @2xl:hidden">
            <Dotted
              parts={[
                <Time key="enquired" value={lead.enquiry_datetime} isAgo />,
                optionLabel('project', lead.project_name),
              ]}
            />
          </span>
        </div>
      </th>
      {columns.map((name) => {
        const { from, cell, more } = LEAD_COLUMNS[name];
        return (
          <td key={name} className={classes(CELL, SHOWN_FROM[from])}>
            <div className="truncate">{cell(lead) || <None />}</div>
            {more !== undefined && <div className={MORE}>{more(lead)}</div>}
          </td>
        );
      })}
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
    // One line high: a phone number that does not fit wraps out of view instead of being cut.
    <div className={classes(MORE, 'flex h-5 flex-wrap')}>
      {shown.map((each, index) => (
        <span key={each} className="max-w-full truncate">
          {index > 0 && <span className="whitespace-pre"> · </span>}
          <bdi>{each}</bdi>
        </span>
      ))}
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
