import type { LeadItem } from '@leadtrail/contract/lead-records';
import type { LeadSort } from '@leadtrail/contract/leads';
import type { ReactNode } from 'react';
import { countryName } from '../../format.ts';
import { optionLabel } from '../../frame/option-label.tsx';
import { useValueName } from '../../frame/value-name.ts';
import { Badge } from '../../ui/badge.tsx';
import { EngagementBadge } from '../../ui/engagement-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { DELIVERY_NAMES, type Delivery } from './filters.ts';
import { RiskBadge } from './lead-badges.tsx';
import type { ColumnName } from './table-look.ts';

type Order = readonly [LeadSort, 'ascending' | 'descending'];

export type LeadTableColumn = {
  /** The minimum in rem; a wide table distributes its width in proportion. */
  width: number;
  /** The width of the table from which it is shown. */
  from: 'medium' | 'wide';
  orders?: readonly Order[];
  cell: (lead: LeadItem) => ReactNode;
  /** A second line, which compact rows leave out. */
  more?: (lead: LeadItem) => ReactNode;
};

/** The columns that can be chosen, between contact and stage. */
export const LEAD_COLUMNS: Readonly<Record<ColumnName, LeadTableColumn>> = {
  project: {
    width: 11,
    from: 'medium',
    cell: (lead) => optionLabel('project', lead.project_name),
    more: (lead) => optionLabel('source', lead.project_source),
  },
  submitted: {
    width: 9,
    from: 'medium',
    orders: [
      ['newest', 'descending'],
      ['oldest', 'ascending'],
    ],
    cell: (lead) => <Time value={lead.enquiry_datetime} isAgo />,
    more: (lead) =>
      lead.last_follow_up_at !== null && (
        <>
          Again <Time value={lead.last_follow_up_at} isAgo />
        </>
      ),
  },
  engagement: {
    width: 8.5,
    from: 'wide',
    orders: [
      ['score_desc', 'descending'],
      ['score_asc', 'ascending'],
    ],
    cell: (lead) => <EngagementBadge lead={lead} />,
  },
  risk: {
    width: 5,
    from: 'wide',
    orders: [
      ['risk_desc', 'descending'],
      ['risk_asc', 'ascending'],
    ],
    cell: (lead) => <RiskBadge score={lead.suspicion_score} />,
  },
  channel: { width: 9, from: 'wide', cell: (lead) => lead.channel },
  campaign: { width: 10, from: 'wide', cell: (lead) => lead.campaign.utm_campaign },
  delivery: { width: 7.5, from: 'wide', cell: (lead) => <DeliveryBadge state={lead.delivery_state} /> },
  country: {
    width: 8,
    from: 'wide',
    cell: (lead) => lead.contact_country_name && countryName(lead.contact_country_name),
    more: (lead) => lead.contact_city,
  },
  site: { width: 9, from: 'wide', cell: (lead) => <SiteName siteKey={lead.site_key} /> },
};

const DELIVERY_TONES = {
  delivered: 'positive',
  pending: 'info',
  failed: 'negative',
  held_back: 'warning',
} as const;

function SiteName({ siteKey }: { siteKey: string }) {
  return useValueName()({ dimension: 'site', value: siteKey });
}

function DeliveryBadge({ state }: { state: Delivery }) {
  if (state === 'none') return <span className="text-xs text-ink-faint">{DELIVERY_NAMES.none}</span>;
  return <Badge tone={DELIVERY_TONES[state]}>{DELIVERY_NAMES[state]}</Badge>;
}
