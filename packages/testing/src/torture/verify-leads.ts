import type { LeadLedger, SentLead } from './lead-ledger.ts';
import type { Read } from './verify.ts';

/** What the service has stored of the leads. */
export type StoredLeads = {
  leads: { lead_id: number; lead_public_id: string; contact_email: string }[];
  submissions: StoredSubmission[];
  /** The lead that holds an identity, by kind and value. */
  holders: Map<string, number>;
  sends: StoredSend[];
};

type StoredSubmission = {
  submission_id: number;
  lead_submission_public_id: string;
  lead_id: number;
  marker: string;
  contact_email: string;
  contact_phone: string;
  visitor_id: string;
  contact_ip: string;
  project_name: string;
  is_primary_lead: number;
};
type StoredSend = { flow_send_public_id: string; lead_id: number; submission_id: number; status: string };

export async function readStoredLeads(read: Read): Promise<StoredLeads> {
  const identities = await read<{ kind: string; value: string; lead_id: number }>(
    'select kind, value, lead_id from lead_identities',
  );
  return {
    leads: await read('select lead_id, lead_public_id, contact_email from leads'),
    submissions: await read(
      `select submission_id, lead_submission_public_id, lead_id, cta_name as marker, contact_email, contact_phone,
        visitor_id, contact_ip, project_name, is_primary_lead from submissions`,
    ),
    holders: new Map(identities.map(({ kind, value, lead_id }) => [`${kind} ${value}`, lead_id])),
    sends: await read('select flow_send_public_id, lead_id, submission_id, status from flow_sends'),
  };
}

/**
 * Everything that is wrong with the leads, once all that was pending has been sent. That totals, counts and the
 * number of primaries are right the recount has said.
 */
export function leadsOff(ledger: LeadLedger, stored: StoredLeads): string[] {
  return [
    ...submissionsOff(ledger, stored),
    ...peopleOff(ledger, stored),
    ...sendsOff(stored),
    ...deliveriesOff(ledger, stored),
  ];
}

/** Every acknowledged submission is there as it was sent, and every submission was sent, once. */
function submissionsOff(ledger: LeadLedger, stored: StoredLeads): string[] {
  const found: string[] = [];
  const byMarker = new Map(ledger.sent.map((lead) => [lead.marker, lead]));
  const seen = new Set<string>();
  for (const submission of stored.submissions) {
    const { marker } = submission;
    const sent = byMarker.get(marker);
    if (sent === undefined) found.push(`Submission ${marker} was never sent.`);
    else if (seen.has(marker)) found.push(`Submission ${marker} is there twice.`);
    else if (!isAsSent(sent, submission)) found.push(`Submission ${marker} is not what was sent.`);
    else found.push(...identitiesOff(submission, stored.holders));
    seen.add(marker);
  }
  for (const { marker, acknowledged } of ledger.sent) {
    if (acknowledged && !seen.has(marker))
      found.push(`Submission ${marker} was acknowledged, but is not there.`);
  }
  return found;
}

function isAsSent(sent: SentLead, submission: StoredSubmission): boolean {
  return (
    sent.person.email === submission.contact_email &&
    sent.person.project === submission.project_name &&
    sent.phone === submission.contact_phone &&
    sent.visitor_id === submission.visitor_id &&
    sent.ip === submission.contact_ip
  );
}

/** Its lead is recognised by all that a submission said of the person; the address may be someone else's too. */
function identitiesOff(submission: StoredSubmission, holders: ReadonlyMap<string, number>): string[] {
  const { marker, lead_id, contact_email, contact_phone, visitor_id, contact_ip } = submission;
  const own = [`email ${contact_email}`];
  if (contact_phone !== '') own.push(`phone ${contact_phone}`);
  if (visitor_id !== '') own.push(`visitor ${visitor_id}`);
  const found = own
    .filter((identity) => holders.get(identity) !== lead_id)
    .map((identity) => `Lead ${lead_id} of submission ${marker} does not hold "${identity}".`);
  if (!holders.has(`ip ${contact_ip}`)) found.push(`Nobody holds the address of submission ${marker}.`);
  return found;
}

/** One lead for each person of whom anything is stored. */
function peopleOff(ledger: LeadLedger, stored: StoredLeads): string[] {
  const found: string[] = [];
  const leadOf = new Map<string, number>();
  for (const { contact_email, lead_id } of stored.submissions) {
    const before = leadOf.get(contact_email) ?? lead_id;
    if (before !== lead_id) found.push(`${contact_email} has the leads ${before} and ${lead_id}.`);
    leadOf.set(contact_email, lead_id);
  }
  for (const { contact_email, lead_id } of stored.leads) {
    if (leadOf.get(contact_email) !== lead_id) found.push(`Lead ${lead_id} is not that of ${contact_email}.`);
  }
  if (stored.leads.length > ledger.sums().people) found.push('There are more leads than people.');
  return found;
}

/** One send for each primary, and one for the first follow-up that brings the phone. */
function sendsOff({ submissions, sends }: StoredLeads): string[] {
  const found: string[] = [];
  const bySubmission = new Map(sends.map((send) => [send.submission_id, send]));
  if (bySubmission.size < sends.length) found.push('A submission has two sends.');
  const withPhone = new Set<number>();
  for (const submission of submissions.toSorted((a, b) => a.submission_id - b.submission_id)) {
    const { submission_id, lead_id, marker, is_primary_lead, contact_phone } = submission;
    const bringsPhone = contact_phone !== '' && !withPhone.has(lead_id);
    if (bringsPhone) withPhone.add(lead_id);
    const isSent = bySubmission.get(submission_id)?.lead_id === lead_id;
    if (isSent && is_primary_lead === 0 && !bringsPhone) found.push(`The follow-up ${marker} has a send.`);
    if (!isSent && (is_primary_lead === 1 || bringsPhone)) found.push(`Submission ${marker} has no send.`);
  }
  for (const { flow_send_public_id, status } of sends) {
    if (status !== 'delivered') found.push(`Send ${flow_send_public_id} is ${status}.`);
  }
  return found;
}

/** The platform took every send, and got nothing else. */
function deliveriesOff(ledger: LeadLedger, stored: StoredLeads): string[] {
  const found: string[] = [];
  const known = idsOfSends(stored);
  const followUps = new Set(
    stored.submissions
      .filter(({ is_primary_lead }) => is_primary_lead === 0)
      .map(({ lead_submission_public_id }) => lead_submission_public_id),
  );
  const taken = new Set<string>();
  for (const {
    webhookId,
    sendPublicId,
    leadPublicId,
    submissionPublicId,
    ...delivery
  } of ledger.deliveries) {
    const ids = `${leadPublicId} ${submissionPublicId}`;
    if (webhookId !== sendPublicId) found.push(`Send ${sendPublicId} came as ${webhookId}.`);
    else if (delivery.isFollowUp !== followUps.has(submissionPublicId))
      found.push(`Send ${sendPublicId} does not say rightly whether it is a follow-up.`);
    else if (known.get(webhookId) !== ids) found.push(`Send ${webhookId} is not what is stored.`);
    if (delivery.accepted) taken.add(webhookId);
  }
  for (const id of known.keys()) if (!taken.has(id)) found.push(`Send ${id} was never taken.`);
  return found;
}

/** The public ids of lead and submission that belong to each send. */
function idsOfSends({ leads, submissions, sends }: StoredLeads): Map<string, string> {
  const leadIds = new Map(leads.map((lead) => [lead.lead_id, lead.lead_public_id]));
  const submissionIds = new Map(
    submissions.map((submission) => [submission.submission_id, submission.lead_submission_public_id]),
  );
  return new Map(
    sends.map(({ flow_send_public_id, lead_id, submission_id }) => [
      flow_send_public_id,
      `${leadIds.get(lead_id)} ${submissionIds.get(submission_id)}`,
    ]),
  );
}
