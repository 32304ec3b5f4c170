import { background, primaryRead } from './operation.ts';
import type { InboxRow } from './schema.ts';

/** The inboxes of all processes, each with its current opening. */

export type SeenInbox = {
  inboxId: string;
  epoch: string;
  /** All openings that it remembers. */
  epochs: readonly string[];
  /** The last sequence before this opening. */
  lastSequence: number;
  /** Where it is, and how much waits in it. */
  host: string;
  records: number;
  now: number;
};

/**
 * Returns `copy` and notes nothing if the store knows of an opening that the inbox does not remember: then
 * this is an older copy of it, or a machine cloned from the same image has opened its own.
 */
export const noteInbox = background(
  { changes: [] },
  async ({ query, dialect }, seen: SeenInbox): Promise<'noted' | 'copy'> => {
    const known = await query
      .selectFrom('inboxes')
      .select('epoch')
      .where('inbox_id', '=', seen.inboxId)
      .executeTakeFirst();
    if (known !== undefined && !seen.epochs.includes(known.epoch)) return 'copy';
    if (known === undefined && (await isBehind(query, seen))) return 'copy';
    const { inboxId: inbox_id, epoch, host, records, now: seen_at } = seen;
    const row: InboxRow = { inbox_id, epoch, host, records, seen_at, is_open: 1 };
    const changes = ['epoch', 'host', 'records', 'seen_at', 'is_open'].map(
      (name) => `${name} = excluded.${name}`,
    );
    await dialect.insertRows('inboxes', [row], `(inbox_id) do update set ${changes.join(', ')}`);
    return 'noted';
  },
);

/**
 * For inboxes of earlier versions: the store has applied more than this one has ever held, so it is a copy.
 */
async function isBehind(
  query: Parameters<typeof noteInbox>[0]['query'],
  { inboxId, lastSequence }: SeenInbox,
): Promise<boolean> {
  const applied = await query
    .selectFrom('spools')
    .select('applied_sequence')
    .where('spool_id', '=', inboxId)
    .executeTakeFirst();
  return applied !== undefined && applied.applied_sequence > lastSequence;
}

/**
 * For an empty inbox, maybe before this opening was noted, hence all epochs. Leaves openings of copies alone.
 */
export const closeInbox = background(
  { changes: [] },
  async ({ query }, { inboxId, epochs }: Pick<SeenInbox, 'inboxId' | 'epochs'>): Promise<void> => {
    await query
      .updateTable('inboxes')
      .set({ is_open: 0, records: 0 })
      .where('inbox_id', '=', inboxId)
      .where('epoch', 'in', epochs)
      .execute();
  },
);

export const inboxesUnseenSince = primaryRead(
  async ({ query }, { time }: { time: number }): Promise<InboxRow[]> =>
    query
      .selectFrom('inboxes')
      .selectAll()
      .where('is_open', '=', 1)
      .where('seen_at', '<', time)
      .orderBy('seen_at')
      .execute(),
);
