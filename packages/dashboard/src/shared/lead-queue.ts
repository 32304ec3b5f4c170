/** The leads of the list that was last shown, in its order, and where one was: what next and previous mean on a lead. */

export type QueuePage = { leadIds: readonly number[]; offset: number; total: number };

/** The pages of a list that were shown or asked for so far, in one piece. */
type Queue = QueuePage & { limit: number; load: (offset: number) => Promise<QueuePage> };

let queue: Queue = { leadIds: [], offset: 0, total: 0, limit: 0, load: async () => queue };
let opened: number | undefined;

export function keepQueue(page: Queue): void {
  queue = page;
}

export function keepOpened(leadId: number): void {
  opened = leadId;
}

export function lastOpened(): number | undefined {
  return opened;
}

let noteWantedOf: number | undefined;

/** The page of the lead that is opened next begins with a note. */
export function wantNote(leadId: number): void {
  noteWantedOf = leadId;
}

/** Once. */
export function isNoteWanted(leadId: number): boolean {
  const isWanted = noteWantedOf === leadId;
  noteWantedOf = undefined;
  return isWanted;
}

export type QueuePlace = { position: number; total: number; previous: Neighbour; next: Neighbour };
/** `elsewhere`: on a page of the list that is yet to be asked for. */
type Neighbour = number | 'elsewhere' | undefined;

/** Undefined for a lead that was not opened from a list. */
export function placeInQueue(leadId: number): QueuePlace | undefined {
  const { leadIds, offset, total } = queue;
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

/** Asks for the page after the last one; the offset at which it was found. */
export async function loadNextPage(): Promise<number> {
  const before = queue;
  const end = before.offset + before.leadIds.length;
  let page = await before.load(end);
  // What has left the list meanwhile, such as the reviewed among those to review, has left it before the end.
  if (page.total < before.total) page = await before.load(Math.max(0, end + page.total - before.total));
  if (queue !== before) return page.offset;
  const leadIds = [...before.leadIds, ...othersThan(before, page)];
  const rest = Math.max(0, page.total - page.offset - page.leadIds.length);
  queue = { ...before, leadIds, total: before.offset + leadIds.length + rest };
  return page.offset;
}

/** The same for the page before the first one. */
export async function loadPreviousPage(): Promise<number> {
  const before = queue;
  const page = await before.load(Math.max(0, before.offset - before.limit));
  if (queue !== before) return page.offset;
  const leadIds = [...othersThan(before, page), ...before.leadIds];
  const offset = page.offset === 0 ? 0 : before.offset + before.leadIds.length - leadIds.length;
  const rest = before.total - before.offset - before.leadIds.length;
  queue = { ...before, leadIds, offset, total: offset + leadIds.length + rest };
  return page.offset;
}

function othersThan(known: Queue, { leadIds }: QueuePage): number[] {
  return leadIds.filter((leadId) => !known.leadIds.includes(leadId));
}
