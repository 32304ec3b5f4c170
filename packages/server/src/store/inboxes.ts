import { background, primaryRead } from './operation.ts';
import type { InboxRow } from './schema.ts';

/** The inboxes of all processes, each with its present opening. */

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
 * Says `copy` and notes nothing where the store knows of an opening that the inbox does not remember: then this is an
 * older copy of it, or a machine made from the same image has opened its own.
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

/** Of an inbox of an earlier version: the store has come further in it than it has itself. */
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

/** Of an inbox that is empty. It may be closed before this opening was noted; another's opening stays as it is. */
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
