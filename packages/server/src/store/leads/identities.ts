import type { Identity } from '../../domain/leads/lead-identity.ts';
import type { Db } from '../dialect.ts';
import { personLock } from './look-up.ts';
import type { Submission } from './submission.ts';

/**
 * A lead learns the identities of a submission that no other lead of the project holds. Those that only bots have
 * brought go to the first person who claims them.
 */
export async function learnIdentities(
  { dialect }: Db,
  submission: Submission,
  leadId: number,
  submissionId: number,
): Promise<void> {
  const { capture, held, lead } = submission;
  const isBot = lead.is_bot_lead === 1;
  const isFree = (kind: string) =>
    held.every((each) => each.kind !== kind || (!isBot && each.is_provisional === 1));
  const rows = capture.enquiry.identities
    .filter(({ kind }) => isFree(kind))
    .map(({ kind, value }) => ({
      kind,
      value,
      project_key: lead.project_key,
      lead_id: leadId,
      submission_id: submissionId,
      first_seen_at: lead.created_at,
      is_provisional: lead.is_bot_lead,
    }));
  await dialect.insertRows('lead_identities', rows, isBot ? 'do nothing' : CLAIM);
  if (!isBot) await noteShared(dialect, submission, leadId);
}

/** An identity that another lead holds stays there; sharing it suggests that both leads are one person. */
async function noteShared(dialect: Db['dialect'], { held }: Submission, leadId: number): Promise<void> {
  const shared = held
    .filter((each) => each.lead_id !== leadId && each.kind !== 'ip' && each.is_provisional === 0)
    .map(({ kind, value, project_key }) => ({ kind, value, project_key, lead_id: leadId }));
  await dialect.insertRows('lead_shared_identities', shared, 'do nothing');
}

const CLAIM = `(kind, value, project_key) do update set
  lead_id = excluded.lead_id, submission_id = excluded.submission_id,
  first_seen_at = excluded.first_seen_at, is_provisional = 0
  where lead_identities.is_provisional = 1`;

export async function dropProvisional({ dialect }: Db, leadId: number): Promise<void> {
  await dialect.run('delete from lead_identities where lead_id = ? and is_provisional = 1', [leadId]);
}

/** Locks the identities of leads, so that none is added until the transaction ends. */
export async function holdIdentities(db: Db, leadIds: readonly number[]): Promise<void> {
  // SQLite has a single writer: there is nothing to lock.
  if (db.dialect.kind === 'sqlite') return;
  const locked = new Set<string>();
  for (;;) {
    const identities = await db.query
      .selectFrom('lead_identities')
      .select(['kind', 'value', 'project_key'])
      .where('lead_id', 'in', db.dialect.anyOf(leadIds))
      .execute();
    const open = identities
      .map((identity) => personLock(identity.project_key, identity as Identity))
      .filter((lock) => !locked.has(lock));
    if (open.length === 0) return;
    // A submission may have added others before these were locked.
    await db.dialect.lockEach(open);
    for (const lock of open) locked.add(lock);
  }
}
