import type { Db } from '../dialect.ts';
import { primaryRead, write } from '../operation.ts';
import type { SetAsideLeadRow } from '../schema.ts';
import { CAPTURE_CHANGES, storeLead } from './capture.ts';
import { lookUpSender } from './look-up.ts';
import type { Capture } from './submission.ts';
import type { Submitted } from './submit.ts';

/** A submission that was set aside becomes a lead after all. */

type Reference = { kind: SetAsideLeadRow['kind']; id: number };
export type SetAside = Pick<
  SetAsideLeadRow,
  | 'ip'
  | 'received_at'
  | 'referer'
  | 'payload_json'
  | 'site_key'
  | 'lead_public_id'
  | 'lead_submission_public_id'
> & {
  sender: string;
};

/** Null: there is none, or it was deleted. */
export const readSetAside = primaryRead(
  async ({ query }, { kind, id }: Reference): Promise<SetAside | null> => {
    const row = await query
      .selectFrom('set_aside_leads')
      .select([
        'ip',
        'received_at',
        'referer',
        'payload_json',
        'site_key',
        'sender',
        'lead_public_id',
        'lead_submission_public_id',
      ])
      .where('id', '=', id)
      .where('kind', '=', kind)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    return row ?? null;
  },
);

export type AcceptOutcome = Submitted | 'unknown' | 'accepted_before';

/** Stores it like any other lead, but without checking the IP lists. */
export const acceptSetAside = write(
  { changes: CAPTURE_CHANGES },
  async (
    db,
    { kind, id, unblock, capture, now }: Reference & { unblock: boolean; capture: Capture; now: number },
  ): Promise<AcceptOutcome> => {
    const before = await hold(db, { kind, id });
    if (before === undefined) return 'unknown';
    if (before.accepted_at !== null) return 'accepted_before';
    await db.query.updateTable('set_aside_leads').set({ accepted_at: now }).where('id', '=', id).execute();
    if (unblock) await unblockSender(db, capture);
    const { submitted } = await storeLead(db, capture, await lookUpSender(db, capture.enquiry));
    return submitted;
  },
);

function hold({ query, dialect }: Db, { kind, id }: Reference) {
  return query
    .selectFrom('set_aside_leads')
    .select('accepted_at')
    .where('id', '=', id)
    .where('kind', '=', kind)
    .where('deleted_at', 'is', null)
    .modifyEnd(dialect.forUpdate)
    .executeTakeFirst();
}

/** Only single addresses: a range was blocked for others as well. */
async function unblockSender({ query }: Db, { enquiry }: Capture): Promise<void> {
  await query
    .deleteFrom('ip_rules')
    .where('ip', 'in', [enquiry.ip, enquiry.callerIp])
    .where('list', '=', 'blocked')
    .execute();
}
