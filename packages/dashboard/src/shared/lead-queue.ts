/** The leads of the list that was last shown, in its order, and where one was: what next and previous mean on a lead. */

let queue: readonly number[] = [];
let opened: number | undefined;

export function keepQueue(leadIds: readonly number[]): void {
  queue = leadIds;
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

export type QueuePlace = { position: number; total: number; previous?: number; next?: number };

/** Undefined for a lead that was not opened from a list. */
export function placeInQueue(leadId: number): QueuePlace | undefined {
  const index = queue.indexOf(leadId);
  if (index === -1) return undefined;
  const [previous, next] = [queue[index - 1], queue[index + 1]];
  return {
    position: index + 1,
    total: queue.length,
    ...(previous === undefined ? {} : { previous }),
    ...(next === undefined ? {} : { next }),
  };
}
