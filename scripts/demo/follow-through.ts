import type { LeadStatus } from '@leadtrail/contract/lead-status';
import { resultOf, sentenceFor } from '../../packages/server/src/domain/delivery/send-result.ts';
import { NO_MAPPING } from '../../packages/server/src/domain/leads/crm-change.ts';
import { crmEventKey } from '../../packages/server/src/domain/leads/crm-event.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../packages/server/src/lib/utc-time.ts';
import type { ClaimedSend, SendAttempt } from '../../packages/server/src/store/flow-sends/deliver.ts';
import type { Store } from '../../packages/server/src/store/store.ts';
import { CLIENTS } from './clients.ts';
import type { Random } from './random.ts';

/** What happens to leads: delivery, CRM events, work in the dashboard. */

export type CapturedLead = {
  leadId: number;
  publicId: string;
  at: number;
  submissions: number;
  project: string;
  isBot: boolean;
  /** Null: not forwarded. */
  sendId: string | null;
};

const CLAIM_MS = 30 * SECOND_MS;
const CLAIMED_MAX = 32;

/** Outages of the automation platform, in hours before the end. */
const TROUBLE = [
  {
    from: 23 * 24,
    until: 21.2 * 24,
    statusCode: 503,
    answer: '{"message":"Service temporarily unavailable"}',
  },
  { from: 52 * 24, until: 52 * 24 - 10, statusCode: 410, answer: '{"message":"This workflow was archived"}' },
  { from: 4.5, until: 0, statusCode: 502, answer: '<html><title>502 Bad Gateway</title></html>' },
];

export type Delivery = {
  /** Makes all attempts due by `time`, each at its time. Time only moves forward between calls. */
  until(time: number): Promise<void>;
  readonly delivered: ReadonlySet<string>;
};

export function makeDelivery(store: Store, random: Random, now: number): Delivery {
  const delivered = new Set<string>();
  return {
    delivered,
    async until(time) {
      for (;;) {
        const due = await store.nextSendDueAt({ now: time });
        if (due === null || due > time) return;
        const claimed = await store.claimSends({ now: due, leaseMs: CLAIM_MS, max: CLAIMED_MAX });
        const attempts = claimed.map((send) => attemptOf(send, due, now, random));
        await store.recordAttempts({ attempts });
        for (const { id, statusCode } of attempts) if (statusCode === 200) delivered.add(id);
      }
    },
  };
}

function attemptOf({ id, claimedUntil }: ClaimedSend, at: number, now: number, random: Random): SendAttempt {
  const hoursBefore = (now - at) / HOUR_MS;
  const trouble = TROUBLE.find(({ from, until }) => hoursBefore <= from && hoursBefore > until);
  const isSlow = trouble === undefined && random.chance(0.015);
  const durationMs = isSlow ? 10_000 : random.integer(60, 900);
  const statusCode = isSlow ? null : (trouble?.statusCode ?? 200);
  const result = statusCode === null ? 'timeout' : resultOf(statusCode);
  return {
    id,
    claimedUntil,
    startedAt: at,
    endedAt: at + durationMs,
    statusCode,
    result,
    error: sentenceFor(result, durationMs),
    retryAfter: undefined,
    durationMs,
    answer: isSlow ? '' : (trouble?.answer ?? '{"message":"Workflow was started"}'),
    random: random.next(),
  };
}

/** Stages of leads by their age in days. */
const PIPELINE: readonly { from: number; stages: readonly { status: LeadStatus; weight: number }[] }[] = [
  { from: 0, stages: stages(88, 10, 2, 0, 0, 0) },
  { from: 2, stages: stages(35, 42, 12, 3, 1, 7, 1) },
  { from: 10, stages: stages(8, 34, 26, 12, 6, 14, 2) },
  { from: 30, stages: stages(2, 16, 22, 14, 19, 27, 3) },
];

function stages(...weights: number[]): { status: LeadStatus; weight: number }[] {
  const names: readonly LeadStatus[] = ['new', 'contacted', 'qualified', 'proposal', 'won', 'lost', 'fake'];
  return names.map((status, i) => ({ status, weight: weights[i] ?? 0 }));
}

export async function workOn(
  store: Store,
  leads: readonly CapturedLead[],
  { random, values }: { random: Random; values: Random },
  now: number,
): Promise<Map<number, LeadStatus>> {
  const statuses = new Map<number, LeadStatus>();
  for (const { leadId, project, submissions, isBot, at } of leads) {
    const age = (now - at) / DAY_MS;
    const pipeline = PIPELINE.findLast(({ from }) => age >= from) ?? PIPELINE[0];
    if (pipeline === undefined) continue;
    const status = isBot && random.chance(0.8) ? 'fake' : random.weighted(pipeline.stages).status;
    statuses.set(leadId, status);
    if (status !== 'new')
      await store.updateLead({
        id: String(leadId),
        status,
        value: worthOf(status, project, values),
        by: 'marketing',
        now: Math.round((at + now) / 2),
      });
    // Some leads have a follow-up since they were viewed.
    if (status !== 'new' || random.chance(0.25)) {
      if (submissions > 1 && random.chance(0.2)) continue;
      const seenAt = Math.min(at + random.integer(5, 900) * MINUTE_MS, now);
      await store.markLeadSeen({ leadId, followUps: submissions - 1, now: seenAt });
    }
  }
  return statuses;
}

/** Most leads that are won or have a proposal get a value within the client's earnings. */
function worthOf(status: LeadStatus, project: string, random: Random): number | undefined {
  const client = CLIENTS.find((each) => each.project === project);
  if (client === undefined || !(status === 'won' || status === 'proposal') || random.chance(0.1))
    return undefined;
  const [least, most] = client.earnings;
  return Math.round((least + (most - least) * random.next() ** 2) / 50) * 50;
}

const OWNERS = ['Nadia Karim', 'Tom Becker', 'Ravi Menon', 'Lucía Soler'];
const CRM_STEPS: Readonly<Record<LeadStatus, readonly string[]>> = {
  new: ['created'],
  contacted: ['created', 'assigned', 'call_logged'],
  qualified: ['created', 'assigned', 'call_logged', 'stage_changed'],
  proposal: ['created', 'assigned', 'call_logged', 'meeting_scheduled', 'proposal_sent'],
  won: ['created', 'assigned', 'call_logged', 'meeting_scheduled', 'proposal_sent', 'deal_won'],
  lost: ['created', 'assigned', 'call_logged', 'deal_lost'],
  fake: ['created', 'marked_as_spam'],
};

/** The stage at each CRM step before the last; otherwise contacted. */
const STAGE_BEFORE: Readonly<Record<string, LeadStatus>> = {
  created: 'new',
  assigned: 'new',
  proposal_sent: 'proposal',
};

/** Callbacks of the automation platform and the CRM. */
export async function callBack(
  store: Store,
  leads: readonly CapturedLead[],
  statuses: ReadonlyMap<number, LeadStatus>,
  random: Random,
  now: number,
): Promise<void> {
  for (const lead of leads) {
    if (lead.sendId === null) continue;
    await reportExecution(store, lead, lead.sendId, random);
    if (random.chance(0.12)) continue;
    const crmLeadId = `CRM-${10_000 + lead.leadId}`;
    const record = { lead: { id: lead.leadId }, submission: null };
    await store.recordCrmId({ ...record, crmLeadId, mapping: NO_MAPPING, now: lead.at });
    await reportSteps(store, lead, crmLeadId, statuses.get(lead.leadId) ?? 'new', random, now);
  }
  // For a lead that was entered in the CRM by hand.
  for (const number of [1, 2, 3])
    await reportSteps(store, { at: now - number * DAY_MS }, `CRM-${900_000 + number}`, 'new', random, now);
}

async function reportExecution(
  store: Store,
  { publicId }: CapturedLead,
  sendPublicId: string,
  random: Random,
): Promise<void> {
  const executionId = String(random.integer(400_000, 499_999));
  const executionUrl = `https://automation.example/workflow/leads/executions/${executionId}`;
  const executionStatus = random.chance(0.96) ? 'success' : 'error';
  const callback = {
    flow_send_public_id: sendPublicId,
    flow_execution_url: executionUrl,
    flow_execution_id: executionId,
    flow_execution_status: executionStatus,
    lead_public_id: publicId,
  };
  await store.recordFlowResult({
    sendPublicId,
    executionUrl,
    executionId,
    executionStatus,
    callback: JSON.stringify(callback),
  });
}

async function reportSteps(
  store: Store,
  { at: createdAt }: Pick<CapturedLead, 'at'>,
  crmLeadId: string,
  status: LeadStatus,
  random: Random,
  now: number,
): Promise<void> {
  const owner = random.pick(OWNERS);
  let at = createdAt + 4 * SECOND_MS;
  const steps = CRM_STEPS[status];
  for (const eventType of steps) {
    if (at > now) return;
    const stage = eventType === steps.at(-1) ? status : (STAGE_BEFORE[eventType] ?? 'contacted');
    const payload = JSON.stringify({ crm_lead_id: crmLeadId, event_type: eventType, owner, stage });
    const key = crmEventKey({ crmLeadId, eventId: undefined, payload });
    await store.recordCrmEvent({ crmLeadId, eventType, payload, key, mapping: NO_MAPPING, at });
    at += Math.round((0.3 + random.skewed(2.5)) * DAY_MS);
  }
}
