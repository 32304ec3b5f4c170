import type { QueryOf } from '@leadtrail/contract/endpoint';
import type { LeadItem } from '@leadtrail/contract/lead-records';
import type { leads } from '@leadtrail/contract/leads';
import {
  CURSOR_SORTS,
  cursorText,
  filterMark,
  isCursorSort,
  readCursor,
} from '../domain/leads/lead-cursor.ts';
import { type LeadFilter, leadNarrowing } from '../domain/leads/lead-listing.ts';
import { AppError } from '../lib/errors.ts';
import { asksIndex } from '../store/leads/narrow.ts';
import type { Store } from '../store/store.ts';

type Asked = Omit<QueryOf<typeof leads>, 'q'> & { q: string };
type Filters = Pick<Asked, 'q' | 'status' | 'has_follow_ups' | 'seen'> & Parameters<typeof leadNarrowing>[0];

/** A page of leads: by offset for people, by cursor for programs. */
export function makeListLeads(store: Store) {
  return async ({ limit, offset, sort, cursor: given, fields, ...filters }: Asked) => {
    const filter = filterMark(filters);
    const from = given === undefined ? null : readFrom(given, { sort, filter, offset });
    const listed = leadFilter(filters);
    if (sort === 'updated' || asksIndex(listed)) await takeInChanges(store);
    const { leads, total, position } = await store.leads({
      ...listed,
      sort,
      limit,
      offset,
      before: sort === 'newest' ? from?.position : undefined,
      after: sort === 'updated' ? from?.position : undefined,
    });
    const cursor = isCursorSort(sort) && offset === 0 ? cursorText({ sort, position, filter }) : null;
    return {
      leads: leads.map((lead) => only(lead, fields)),
      total,
      next_cursor: leads.length === limit ? cursor : null,
      resume_cursor: sort === 'updated' ? cursor : null,
    };
  };
}

export function leadFilter({
  q,
  status,
  has_follow_ups,
  seen,
  ...narrowing
}: Filters): LeadFilter & { q: string } {
  return { q, status, has_follow_ups, seen, ...leadNarrowing(narrowing) };
}

/** The requested fields of a lead. */
export function only(lead: LeadItem, fields: readonly (keyof LeadItem)[] | undefined): LeadItem {
  if (fields === undefined) return lead;
  return Object.fromEntries(fields.map((field) => [field, lead[field]])) as LeadItem;
}

function readFrom(text: string, asked: { sort: string; filter: string; offset: number }) {
  const cursor = readCursor(text);
  if (cursor === null) throw unusable('is not one that this service has given');
  if (asked.offset > 0) throw unusable('does not go together with offset');
  if (!isCursorSort(asked.sort)) throw unusable(`goes with sort ${CURSOR_SORTS.join(' or ')} only`);
  if (cursor.sort !== asked.sort) throw unusable(`belongs to sort=${cursor.sort}`);
  if (cursor.filter !== asked.filter) throw unusable('belongs to other filters');
  return cursor;
}

function unusable(message: string): AppError {
  return new AppError('invalid', `The query is not valid: cursor ${message}.`, {
    details: [{ path: 'cursor', message }],
  });
}

const CHANGES_PER_STEP = 200;

/** For filters that only the index can answer. */
export async function takeInFor(store: Store, filter: LeadFilter): Promise<void> {
  if (asksIndex(filter)) await takeInChanges(store);
}

/** The index assigns change numbers, so a cursor needs all changes to be indexed. */
async function takeInChanges(store: Store): Promise<void> {
  while ((await store.indexLeads({ max: CHANGES_PER_STEP })) === CHANGES_PER_STEP);
}
