import { readLeadForm } from '../../domain/leads/form-fields.ts';
import { attributionKeys, nameKey } from '../../domain/leads/lead-listing.ts';
import type { Db } from '../dialect.ts';
import { type Filled, fill } from './follow-up.ts';
import type { Row } from './merge-layers.ts';
import { PAYLOAD_BYTES, readPayloads } from './payloads.ts';

/**
 * What follow-ups fill in a lead once a merge is undone: those after the merge found the fields filled by the
 * other lead. Excludes `brought`, the submissions of leads that are still merged into it, whose merges have
 * filled the fields already.
 */
export async function refill(db: Db, lead: Row, brought: readonly number[]): Promise<Partial<Row>> {
  const submissions = await submissionsOf(db, lead);
  const filled = submissions
    .filter(({ submission_id }) => !brought.includes(submission_id))
    .reduce<Filled>(fill, fill(lead, lead));
  return { ...filled, name_key: nameKey(filled.contact_name) };
}

/** Bots' submissions count for a bot's lead only. */
async function submissionsOf(db: Db, { lead_id, is_bot_lead }: Row) {
  const submissions = await db.query
    .selectFrom('submissions')
    .select(PAYLOAD_BYTES.as('payload_bytes'))
    .select([
      'submission_id',
      'contact_name',
      'contact_email',
      'contact_phone',
      'visitor_id',
      'session_id',
      'source as project_source',
      'referer',
    ])
    .where('lead_id', '=', lead_id)
    .where('is_bot_lead', '<=', is_bot_lead)
    .orderBy('submission_id')
    .execute();
  return readPayloads(db, submissions, (payload, submission) => {
    const { location, message, dialCode, campaign } = readLeadForm(payload);
    return {
      ...submission,
      source_key: attributionKeys(submission.project_source, campaign).source_key,
      project_location: location,
      contact_country_code: dialCode,
      message,
    };
  });
}
