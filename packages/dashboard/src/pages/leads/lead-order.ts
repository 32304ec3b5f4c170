import type { LeadItem, LeadSort } from '@leadtrail/contract/leads';

type Order = { key: (lead: LeadItem) => string | number; isDescending: boolean };

/** How the service sorts, for a card that has to find its place before the service has been asked. */
const ORDERS: Readonly<Record<LeadSort, Order>> = {
  newest: { key: ({ lead_id }) => lead_id, isDescending: true },
  oldest: { key: ({ lead_id }) => lead_id, isDescending: false },
  last_follow_up: { key: ({ last_follow_up_at }) => last_follow_up_at ?? '', isDescending: true },
  score_desc: { key: ({ engagement_score }) => engagement_score, isDescending: true },
  score_asc: { key: ({ engagement_score }) => engagement_score, isDescending: false },
  risk_desc: { key: ({ suspicion_score }) => suspicion_score, isDescending: true },
  risk_asc: { key: ({ suspicion_score }) => suspicion_score, isDescending: false },
  name_asc: { key: ({ contact_name }) => contact_name.trim().toLowerCase(), isDescending: false },
};

/** Where a lead belongs among others that are in this order. */
export function placeAmong(leads: readonly LeadItem[], lead: LeadItem, sort: LeadSort): number {
  const place = leads.findIndex((each) => comesBefore(lead, each, ORDERS[sort]));
  return place === -1 ? leads.length : place;
}

function comesBefore(one: LeadItem, other: LeadItem, { key, isDescending }: Order): boolean {
  if (key(one) === key(other)) return isDescending === one.lead_id > other.lead_id;
  return isDescending === key(one) > key(other);
}
