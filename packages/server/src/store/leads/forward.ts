import { forwardedOrigin } from '../../domain/leads/attribution.ts';
import { automationPayload } from '../../domain/leads/automation-payload.ts';
import { emailKey, readPhone } from '../../domain/leads/contact.ts';
import { storedCustomFields } from '../../domain/leads/custom-fields.ts';
import { identitiesOf } from '../../domain/leads/lead-identity.ts';
import type { Db } from '../dialect.ts';
import { write } from '../operation.ts';
import { contactsOf, insertSend } from './add-send.ts';
import { noteChange, noteChangesOfLists } from './lead-index.ts';
import { type LeadReference, resolveLead } from './reference.ts';
import { renewSearchTextsOf } from './renew.ts';
import { type TouchedLead, touchesOfLeads } from './touches.ts';

export type ForwardOutcome = 'unknown' | 'sent' | 'forwarded';

type Forwarded = LeadReference & {
  /** Even if it has been delivered or is on its way. */
  again: boolean;
  sendPublicId: string;
  environment: string;
  now: number;
};

/** Forwards a lead by hand, as it is now. Doing so declares that it is not a bot's. */
export const forwardLead = write(
  { changes: ['leads', 'sends'] },
  async (db, { id, again, sendPublicId, environment, now }: Forwarded): Promise<ForwardOutcome> => {
    const { query, dialect } = db;
    const leadId = await resolveLead(db, id);
    if (leadId === null) return 'unknown';
    const lead = await query
      .selectFrom('leads')
      .selectAll()
      .where('lead_id', '=', leadId)
      .modifyEnd(dialect.forUpdate)
      .executeTakeFirst();
    if (lead === undefined) return 'unknown';
    const sent = await query
      .selectFrom('flow_sends')
      .select('flow_send_public_id')
      .where('lead_id', '=', leadId)
      .where('event', '=', 'lead')
      .where('status', '<>', 'failed')
      .limit(1)
      .executeTakeFirst();
    if (sent !== undefined && !again) return 'sent';

    if (lead.is_bot_lead === 1) await clearBotFlag(db, leadId);
    const phone = readPhone(lead.contact_phone, lead.contact_country_code, lead.contact_country_name || null);
    const submission = await shownSubmission(db, leadId, lead.shown_submission_id);
    await insertSend(
      db,
      {
        ...automationPayload({ ...lead, is_bot_lead: 0 }, phone, environment),
        lead_id: leadId,
        lead_public_id: lead.lead_public_id,
        lead_submission_id: submission.submission_id,
        lead_submission_public_id: submission.lead_submission_public_id,
        flow_send_public_id: sendPublicId,
        ...(await originOf(db, lead, submission)),
      },
      {
        carried: contactsOf(
          identitiesOf({
            visitorId: '',
            emailKey: emailKey(lead.contact_email),
            phoneKey: phone.key,
            ip: null,
          }),
        ),
        at: now,
      },
    );
    await noteChangesOfLists(db, [leadId]);
    return 'forwarded';
  },
);

async function clearBotFlag(db: Db, leadId: number): Promise<void> {
  await db.query.updateTable('leads').set({ is_bot_lead: 0 }).where('lead_id', '=', leadId).execute();
  await db.query
    .updateTable('lead_identities')
    .set({ is_provisional: 0 })
    .where('lead_id', '=', leadId)
    .execute();
  await renewSearchTextsOf(db, [leadId]);
  await noteChange(db, leadId);
}

async function originOf(
  db: Db,
  lead: TouchedLead & { site_key: string; form_id: string },
  { cta_name, payload_json }: { cta_name: string; payload_json: string },
) {
  const found = (await touchesOfLeads(db, [lead])).get(lead.lead_id);
  if (found === undefined) throw new Error('The touches of a lead are missing.');
  return forwardedOrigin(found.attribution, found.touches, {
    ctaName: cta_name,
    siteKey: lead.site_key,
    formId: lead.form_id,
    page: lead.referer,
    fields: storedCustomFields(payload_json),
  });
}

function shownSubmission({ query }: Db, leadId: number, shownId: number) {
  return query
    .selectFrom('submissions')
    .select(['submission_id', 'lead_submission_public_id', 'cta_name', 'payload_json'])
    .where('lead_id', '=', leadId)
    .$if(shownId !== 0, (select) => select.where('submission_id', '=', shownId))
    .$if(shownId === 0, (select) => select.where('is_primary_lead', '=', 1))
    .orderBy('submission_id')
    .limit(1)
    .executeTakeFirstOrThrow();
}
