import { hash } from 'node:crypto';

/** An opaque cursor: the position of a program in a list of leads. */

/** `newest` walks back from the newest lead, `updated` goes on with every change. */
export const CURSOR_SORTS = ['newest', 'updated'] as const;
export type CursorSort = (typeof CURSOR_SORTS)[number];

export type LeadCursor = {
  sort: CursorSort;
  /** The number of the last lead, or of the last change. */
  position: number;
  /** Digest of the filters: with others, the cursor would skip leads. */
  filter: string;
};

export function isCursorSort(sort: string): sort is CursorSort {
  return (CURSOR_SORTS as readonly string[]).includes(sort);
}

const FILTER_CHARS = 12;

export function filterMark(filter: object): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined && value !== '');
  return hash('sha256', JSON.stringify(given.sort()), 'base64url').slice(0, FILTER_CHARS);
}

export function cursorText({ sort, position, filter }: LeadCursor): string {
  return Buffer.from(`${sort}.${position}.${filter}`).toString('base64url');
}

const CURSOR = /^(newest|updated)\.(\d{1,15})\.([\w-]{12})$/;

/** Null: not a cursor. */
export function readCursor(text: string): LeadCursor | null {
  const [, sort, position, filter = ''] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return sort === undefined ? null : { sort: sort as CursorSort, position: Number(position), filter };
}
