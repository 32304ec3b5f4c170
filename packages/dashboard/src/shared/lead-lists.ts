import type { LeadItem } from '@leadtrail/contract/lead-records';
import type { LeadStatus } from '@leadtrail/contract/lead-status';
import type { LeadSort } from '@leadtrail/contract/leads';
import type { InfiniteData } from '@tanstack/react-query';

/** Optimistic updates of cached lead lists. */

export type LeadList = { leads: LeadItem[]; total: number };
type Column = InfiniteData<LeadList>;

export function withStage(list: LeadList, leadId: number, status: LeadStatus): LeadList {
  if (!list.leads.some((each) => each.lead_id === leadId && each.status !== status)) return list;
  return { ...list, leads: list.leads.map((each) => (each.lead_id === leadId ? { ...each, status } : each)) };
}

export function withoutCard(column: Column, { lead_id }: LeadItem): Column {
  if (!holds(column, lead_id)) return column;
  return mapPages(column, ({ leads, total }) => ({
    leads: leads.filter((each) => each.lead_id !== lead_id),
    total: total - 1,
  }));
}

export function withCard(column: Column, lead: LeadItem, sort: LeadSort): Column {
  if (holds(column, lead.lead_id)) return column;
  const sizes = column.pages.map(({ leads }) => leads.length);
  const all = column.pages.flatMap(({ leads }) => leads);
  const placed = all.toSpliced(placeAmong(all, lead, ORDERS[sort]), 0, lead);
  // The pages keep their sizes, and the last one grows.
  let from = 0;
  return mapPages(column, ({ total }, index) => {
    const until = index === sizes.length - 1 ? placed.length : from + (sizes[index] ?? 0);
    const leads = placed.slice(from, until);
    from = until;
    return { leads, total: total + 1 };
  });
}

function holds({ pages }: Column, leadId: number): boolean {
  return pages.some(({ leads }) => leads.some((each) => each.lead_id === leadId));
}

function mapPages(column: Column, change: (page: LeadList, index: number) => LeadList): Column {
  return { ...column, pages: column.pages.map(change) };
}

type Order = { key: (lead: LeadItem) => string | number; isDescending: boolean };

/** The service's sort orders, to place a card optimistically. */
const ORDERS: Readonly<Record<LeadSort, Order>> = {
  newest: { key: ({ lead_id }) => lead_id, isDescending: true },
  oldest: { key: ({ lead_id }) => lead_id, isDescending: false },
  last_follow_up: { key: ({ last_follow_up_at }) => last_follow_up_at ?? '', isDescending: true },
  score_desc: { key: ({ engagement_score }) => engagement_score, isDescending: true },
  score_asc: { key: ({ engagement_score }) => engagement_score, isDescending: false },
  risk_desc: { key: ({ suspicion_score }) => suspicion_score, isDescending: true },
  risk_asc: { key: ({ suspicion_score }) => suspicion_score, isDescending: false },
  name_asc: { key: ({ contact_name }) => withoutAccents(contact_name.trim()), isDescending: false },
};

function withoutAccents(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .toLowerCase();
}

function placeAmong(leads: readonly LeadItem[], lead: LeadItem, order: Order): number {
  const place = leads.findIndex((each) => comesBefore(lead, each, order));
  return place === -1 ? leads.length : place;
}

function comesBefore(one: LeadItem, other: LeadItem, { key, isDescending }: Order): boolean {
  if (key(one) === key(other)) return isDescending === one.lead_id > other.lead_id;
  return isDescending === key(one) > key(other);
}
