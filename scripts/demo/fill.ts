import { readEnquiry } from '../../packages/server/src/domain/leads/enquiry.ts';
import type { ObjectStore } from '../../packages/server/src/ports/objects.ts';
import type { Store } from '../../packages/server/src/store/store.ts';
import { moments } from './calendar.ts';
import { importCosts } from './costs.ts';
import { makeEnquiries, type PlannedEnquiry } from './enquiries.ts';
import { type CapturedLead, callBack, type Delivery, makeDelivery, workOn } from './follow-through.ts';
import { type Random, seeded } from './random.ts';
import { recordVisits } from './recordings.ts';
import { setUp } from './set-up.ts';
import { makeVisits, RETURN_AFTER_MS, type Visit } from './visits.ts';

/**
 * A realistic data set of the last months, stored by the service's own ingest and capture, so that all figures agree.
 * Deterministic for the same numbers and time.
 */

export type DemoSize = { sessions: number; leads: number; recordings: number };

export const DEMO_SIZE: DemoSize = { sessions: 50_000, leads: 2000, recordings: 12 };

const SEED = 20_261_115;
const SPOOL = 'demo';
/** The minimum time between visits of a person, so that an enquiry never sees a later visit. */
const BATCH_MS_MAX = RETURN_AFTER_MS;
const INDEXED_AT_ONCE = 2000;
const DUPLICATE_WINDOW_MINUTES = 60;

export async function fillWithDemo(
  { store, objects }: { store: Store; objects: ObjectStore },
  {
    size,
    now,
    onProgress = () => undefined,
  }: { size: DemoSize; now: number; onProgress?: (what: string, share: number) => void },
): Promise<void> {
  await setUp(store, now);
  const delivery = makeDelivery(store, seeded(SEED + 3), now);
  const onVisits = (share: number) => onProgress('Visits', share);
  const { visits, leads } = await visitAndEnquire(store, delivery, size, now, onVisits);
  onProgress('Pipeline', 0);
  const statuses = await workOn(store, leads, { random: seeded(SEED + 4), values: seeded(SEED + 8) }, now);
  const arrived = leads.filter(({ sendId }) => sendId !== null && delivery.delivered.has(sendId));
  await callBack(store, arrived, statuses, seeded(SEED + 5), now);
  await importCosts(store, visits, seeded(SEED + 7), now);
  onProgress('Recordings', 0);
  await recordVisits({ store, objects }, visits, size.recordings, seeded(SEED + 6), now);
  while ((await store.indexLeads({ max: INDEXED_AT_ONCE })) > 0);
}

/** Chronologically, so that every lead has its visitor's figures up to then. */
async function visitAndEnquire(
  store: Store,
  delivery: Delivery,
  size: DemoSize,
  now: number,
  onProgress: (share: number) => void,
): Promise<{ visits: Visit[]; leads: CapturedLead[] }> {
  const random = seeded(SEED);
  const visitAt = makeVisits(random, now);
  const enquiriesOf = makeEnquiries(seeded(SEED + 1), size, now);
  const capture = makeCapture(store, seeded(SEED + 2));
  const visits: Visit[] = [];
  let batch: Visit[] = [];
  let waiting: PlannedEnquiry[] = [];

  async function process(until: number): Promise<void> {
    if (batch.length > 0) await ingest(store, batch, visits.length);
    batch = [];
    for (const enquiry of inOrder(waiting.filter(({ at }) => at <= until))) await capture.submit(enquiry);
    waiting = waiting.filter(({ at }) => at > until);
    await delivery.until(until);
    onProgress(visits.length / size.sessions);
  }

  for (const [number, moment] of moments(size.sessions, now, random).entries()) {
    const [first] = batch;
    if (first !== undefined && moment.at - first.startedAt >= BATCH_MS_MAX) await process(moment.at);
    const visit = visitAt(moment);
    visits.push(visit);
    batch.push(visit);
    waiting.push(...enquiriesOf(visit, number));
  }
  await process(now);
  return { visits, leads: capture.leads() };
}

function inOrder(enquiries: readonly PlannedEnquiry[]): PlannedEnquiry[] {
  return enquiries.toSorted((a, b) => a.at - b.at);
}

async function ingest(store: Store, visits: readonly Visit[], sequence: number): Promise<void> {
  const lines = visits.flatMap(({ records }) => records.map((record) => `${JSON.stringify(record)}\n`));
  await store.ingestTracking({
    spoolId: SPOOL,
    firstSequence: sequence,
    lastSequence: sequence,
    lines: new TextEncoder().encode(lines.join('')),
    now: Math.max(...visits.map(({ lastAt }) => lastAt)),
  });
}

type Capture = { submit(enquiry: PlannedEnquiry): Promise<void>; leads(): CapturedLead[] };

function makeCapture(store: Store, random: Random): Capture {
  const leads = new Map<number, CapturedLead>();
  return {
    async submit({ at, fields, ip, geo, headers }) {
      const [leadPublicId, submissionPublicId, sendPublicId] = [random.id(at), random.id(at), random.id(at)];
      const outcome = await store.captureLead({
        enquiry: readEnquiry(fields, { at, ip, locate: () => geo, headers }),
        leadPublicId,
        submissionPublicId,
        sendPublicId,
        duplicateWindowMinutes: DUPLICATE_WINDOW_MINUTES,
        sendFollowUps: 'new_details',
        sendRiskMax: null,
        environment: 'production',
        attributionDays: 90,
        portalDomains: [],
        botLeadDetection: true,
        isTrustedProxy: false,
      });
      if (outcome.kind === 'refused') throw new Error(`The demo is wrong: ${outcome.reason}`);
      if (outcome.kind !== 'stored') return;
      const known = leads.get(outcome.leadId);
      if (known !== undefined) known.submissions += 1;
      else
        leads.set(outcome.leadId, {
          leadId: outcome.leadId,
          publicId: leadPublicId,
          at,
          submissions: 1,
          project: fields.PROJECT ?? '',
          isBot: '__pg_hp' in fields,
          sendId: outcome.isForwarded ? sendPublicId : null,
        });
    },
    leads: () => [...leads.values()],
  };
}
