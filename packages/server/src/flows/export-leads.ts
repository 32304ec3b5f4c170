import { LeadItem } from '@leadtrail/contract/leads';
import type { LeadFilter } from '../domain/leads/lead-listing.ts';
import { csvLine } from '../lib/csv.ts';
import type { Store } from '../store/store.ts';

const LEADS_PER_STEP = 500;
const COLUMNS = Object.keys(LeadItem.shape) as (keyof LeadItem)[];

export type LeadExport = { format: 'csv' | 'json'; q: string } & LeadFilter;

/** Streams all leads that pass a filter, newest first, with one page of them in memory. */
export function exportLeads(store: Store, { format, ...filter }: LeadExport): AsyncIterable<string> {
  return format === 'csv' ? csvPieces(store, filter) : jsonPieces(store, filter);
}

async function* csvPieces(store: Store, filter: Omit<LeadExport, 'format'>): AsyncIterable<string> {
  // The byte order mark tells spreadsheets that it is UTF-8.
  let text = `\u{FEFF}${csvLine(COLUMNS)}`;
  for await (const leads of steps(store, filter)) {
    yield text + leads.map((lead) => csvLine(COLUMNS.map((column) => lead[column]))).join('');
    text = '';
  }
  if (text !== '') yield text;
}

async function* jsonPieces(store: Store, filter: Omit<LeadExport, 'format'>): AsyncIterable<string> {
  let separator = '[';
  for await (const leads of steps(store, filter)) {
    yield leads.map((lead, i) => `${i === 0 ? separator : ','}\n${JSON.stringify(lead)}`).join('');
    separator = ',';
  }
  yield separator === '[' ? '[]\n' : '\n]\n';
}

async function* steps(store: Store, filter: Omit<LeadExport, 'format'>): AsyncIterable<LeadItem[]> {
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const leads = await store.leadsBefore({ ...filter, before, limit: LEADS_PER_STEP });
    if (leads.length > 0) yield leads;
    if (leads.length < LEADS_PER_STEP) return;
    before = leads.at(-1)?.lead_id ?? 0;
  }
}
