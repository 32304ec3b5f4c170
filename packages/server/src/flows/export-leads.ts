import { LeadItem } from '@leadtrail/contract/lead-records';
import { ORIGIN_COLUMNS } from '../domain/leads/attribution.ts';
import type { LeadFilter } from '../domain/leads/lead-listing.ts';
import { csvLine } from '../lib/csv.ts';
import type { ListedLead } from '../store/leads/list.ts';
import type { Store } from '../store/store.ts';
import { leadFilter, only, takeInFor } from './list-leads.ts';

/** Small: anybody may send long forms, and a step is in memory. */
const LEADS_PER_STEP = 100;
const FIELDS = Object.keys(LeadItem.shape) as (keyof LeadItem)[];

export type LeadExport = {
  format: 'csv' | 'json';
  /** Undefined: all fields. */
  fields?: readonly (keyof LeadItem)[] | undefined;
  /** Only these leads, instead of a filter. */
  ids?: readonly number[] | undefined;
} & Parameters<typeof leadFilter>[0];

/** Streams all leads that pass a filter, newest first, with one page of them in memory. */
export function exportLeads(
  store: Store,
  { format, fields, ids, ...filters }: LeadExport,
): AsyncIterable<string> {
  // JSON keeps the campaign as one object.
  const hasOrigin = format === 'csv' && fields === undefined;
  const leads =
    ids === undefined
      ? steps(store, { ...leadFilter(filters), hasOrigin })
      : someLeads(store, ids, hasOrigin);
  if (format === 'json') return jsonPieces(leads, fields);
  return csvPieces(leads, fields ?? [...FIELDS, ...ORIGIN_COLUMNS]);
}

async function* csvPieces(
  pages: AsyncIterable<ListedLead[]>,
  columns: readonly (keyof ListedLead)[],
): AsyncIterable<string> {
  // The byte order mark tells spreadsheets that it is UTF-8.
  let text = `\u{FEFF}${csvLine(columns)}`;
  for await (const leads of pages) {
    yield text + leads.map((lead) => csvLine(columns.map((column) => cellOf(lead[column])))).join('');
    text = '';
  }
  if (text !== '') yield text;
}

/** Campaign and custom fields differ between leads, so they are JSON in one cell. */
function cellOf(value: ListedLead[keyof ListedLead] = ''): string | number | null {
  if (typeof value !== 'object' || value === null) return value;
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
}

async function* jsonPieces(
  pages: AsyncIterable<LeadItem[]>,
  fields: LeadExport['fields'],
): AsyncIterable<string> {
  let separator = '[';
  for await (const leads of pages) {
    yield leads
      .map((lead, i) => `${i === 0 ? separator : ','}\n${JSON.stringify(only(lead, fields))}`)
      .join('');
    separator = ',';
  }
  yield separator === '[' ? '[]\n' : '\n]\n';
}

async function* someLeads(
  store: Store,
  ids: readonly number[],
  hasOrigin: boolean,
): AsyncIterable<ListedLead[]> {
  for (let from = 0; from < ids.length; from += LEADS_PER_STEP) {
    const leads = await store.leadsById({ leadIds: ids.slice(from, from + LEADS_PER_STEP), hasOrigin });
    if (leads.length > 0) yield leads;
  }
}

async function* steps(
  store: Store,
  filter: LeadFilter & { q: string; hasOrigin: boolean },
): AsyncIterable<ListedLead[]> {
  await takeInFor(store, filter);
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const leads = await store.leadsBefore({ ...filter, before, limit: LEADS_PER_STEP });
    if (leads.length > 0) yield leads;
    if (leads.length < LEADS_PER_STEP) return;
    before = leads.at(-1)?.lead_id ?? 0;
  }
}
