import { viewerState } from './viewer-state.ts';

/** The leads of the last shown list in its order, and the last opened one: defines previous and next on a lead. */

export type QueuePage = { leadIds: readonly number[]; offset: number; total: number };

type ShownList = QueuePage & { limit: number; load: (offset: number) => Promise<QueuePage> };
/**
 * The pages of a list loaded so far, without gaps. `shift`: how far its leads have moved down the list since, because
 * others came or went.
 */
type Queue = ShownList & { shift: number };

type Remembered = { queue: Queue; opened: number | undefined; noteWantedOf: number | undefined };

const NO_LEADS: QueuePage = { leadIds: [], offset: 0, total: 0 };

const remembered = viewerState(
  (): Remembered => ({
    queue: { ...NO_LEADS, limit: 1, load: async () => NO_LEADS, shift: 0 },
    opened: undefined,
    noteWantedOf: undefined,
  }),
);

export function keepQueue(page: ShownList): void {
  remembered.now.queue = { ...page, shift: 0 };
}

export function keepOpened(leadId: number): void {
  remembered.now.opened = leadId;
}

export function lastOpened(): number | undefined {
  return remembered.now.opened;
}

/** The page of the next opened lead puts the focus on its note field. */
export function wantNote(leadId: number): void {
  remembered.now.noteWantedOf = leadId;
}

/** True once per `wantNote`. */
export function isNoteWanted(leadId: number): boolean {
  const isWanted = remembered.now.noteWantedOf === leadId;
  remembered.now.noteWantedOf = undefined;
  return isWanted;
}

export type QueuePlace = { position: number; total: number; previous: Neighbour; next: Neighbour };
/** `elsewhere`: on a page of the list that is not loaded yet. */
type Neighbour = number | 'elsewhere' | undefined;

/** Undefined for a lead that was not opened from a list. */
export function placeInQueue(leadId: number): QueuePlace | undefined {
  const { leadIds, offset, total } = remembered.now.queue;
  const index = leadIds.indexOf(leadId);
  if (index === -1) return undefined;
  const position = offset + index + 1;
  return {
    position,
    total,
    previous: leadIds[index - 1] ?? (position > 1 ? 'elsewhere' : undefined),
    next: leadIds[index + 1] ?? (position < total ? 'elsewhere' : undefined),
  };
}

/** The offset of the list's page that has the lead. */
export function pageOffsetOf(leadId: number): number | undefined {
  const { limit, shift } = remembered.now.queue;
  const place = placeInQueue(leadId);
  if (place === undefined) return undefined;
  return Math.floor(Math.max(0, place.position - 1 + shift) / limit) * limit;
}

/** Loads the page after the last one. */
export async function loadNextPage(): Promise<void> {
  const { queue: before } = remembered.now;
  const end = before.offset + before.leadIds.length;
  let page = await before.load(end);
  // Leads that left the list meanwhile, such as reviewed ones, were before its end: step back by as many.
  if (page.total < before.total) page = await before.load(Math.max(0, end + page.total - before.total));
  if (remembered.now.queue !== before) return;
  const others = othersThan(before, page);
  const leadIds = [...before.leadIds, ...others];
  const rest = Math.max(0, page.total - page.offset - page.leadIds.length);
  remembered.now.queue = {
    ...before,
    leadIds,
    total: before.offset + leadIds.length + rest,
    shift: page.offset + page.leadIds.length - others.length - end,
  };
}

/** The same for the page before the first one. */
export async function loadPreviousPage(): Promise<void> {
  const { queue: before } = remembered.now;
  let page = await before.load(Math.max(0, before.offset - before.limit));
  // Leads that came in meanwhile are before it: step forward by as many.
  if (page.total > before.total) page = await before.load(page.offset + page.total - before.total);
  // Overlap with the known leads: as many have left before them, or came in after them. Step back by as many.
  const known = page.leadIds.length - othersThan(before, page).length;
  if (known > 0 && page.offset > 0) page = await before.load(Math.max(0, page.offset - known));
  if (remembered.now.queue !== before) return;
  const leadIds = [...othersThan(before, page), ...before.leadIds];
  const offset = page.offset === 0 ? 0 : Math.max(0, before.offset + before.leadIds.length - leadIds.length);
  const rest = before.total - before.offset - before.leadIds.length;
  remembered.now.queue = {
    ...before,
    leadIds,
    offset,
    total: offset + leadIds.length + rest,
    shift: page.offset - offset,
  };
}

function othersThan(known: Queue, { leadIds }: QueuePage): number[] {
  return leadIds.filter((leadId) => !known.leadIds.includes(leadId));
}
