import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { NOON } from '@leadtrail/testing/builders';
import { captureOf } from '@leadtrail/testing/captures';
import { openReader, type Reader, rows } from '@leadtrail/testing/database';
import { CAPTURE_ENV, INTEGRATION_KEY } from '@leadtrail/testing/enquiries';
import { onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import fc from 'fast-check';
import { unknownGeo } from '../src/domain/geo.ts';
import { readEnquiry } from '../src/domain/leads/enquiry.ts';
import { readPerson } from '../src/domain/leads/person.ts';
import { SECOND_MS } from '../src/lib/utc-time.ts';

/*
 * Random histories of a project: honest people who share browsers and offices, strangers with a stolen e-mail address,
 * bots, servers, merges, unmerges and erasures. A model of the identity rules says which submissions make one lead and
 * which identities it holds; four rules have to hold whatever happened. Each history has a project and people of its
 * own, so that all of them fit into one database.
 */

/** More where asked for: `HISTORIES=20000 npm test -- lead-person-property`, again with the SEED that it names. */
const HISTORIES = Number(process.env.HISTORIES ?? 30);
const { SEED } = process.env;
const STEPS_MAX = 14;

const VISITORS = ['laptop', 'phone', 'kiosk', 'stranger'] as const;
type Visitor = (typeof VISITORS)[number];
type Sender = 'honest' | 'stranger' | 'bot';
type Sent = {
  sender: Sender;
  visitor: Visitor | '';
  email: 'anna' | 'ben' | '';
  phone: '1' | '2' | '';
  address: 'home' | 'office' | 'stranger' | 'server';
};
type Step =
  | ({ kind: 'submit' } & Sent)
  | { kind: 'visit'; visitor: Visitor; pages: number }
  | { kind: 'merge' | 'unmerge'; into: number; other: number }
  | { kind: 'erase'; visitor: Visitor };

const someHonest = fc.record({
  sender: fc.constant('honest' as const),
  visitor: fc.constantFrom('laptop' as const, 'phone' as const, 'kiosk' as const, '' as const),
  email: fc.constantFrom('anna' as const, 'ben' as const, '' as const),
  phone: fc.constantFrom('1' as const, '2' as const, '' as const),
  address: fc.constantFrom('home' as const, 'office' as const, 'server' as const),
});
/** Knows an e-mail address, and nothing else is theirs. */
const someStranger = fc.record({
  sender: fc.constantFrom('stranger' as const, 'bot' as const),
  visitor: fc.constantFrom('stranger' as const, '' as const),
  email: fc.constantFrom('anna' as const, 'ben' as const),
  phone: fc.constantFrom('2' as const, '' as const),
  address: fc.constant('stranger' as const),
});
const aNumber = fc.nat(20);
const someStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: someHonest.map((sent) => ({ kind: 'submit' as const, ...sent })) },
  { weight: 4, arbitrary: someStranger.map((sent) => ({ kind: 'submit' as const, ...sent })) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('visit' as const),
      visitor: fc.constantFrom(...VISITORS),
      pages: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('merge' as const, 'unmerge' as const),
      into: aNumber,
      other: aNumber,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('erase' as const), visitor: fc.constantFrom(...VISITORS) }),
  },
);

/** A submission goes by its number, a lead by that of its first one. */
type Face = {
  createdAt: number;
  isBot: boolean;
  /** The submission that it shows. */
  shown: number;
};
type Lead = Face & {
  name: number;
  /** Without what was merged into it. */
  own: Face;
  submissions: Set<number>;
};
type Merge = {
  into: number;
  lead: Lead;
  submissions: number[];
  identities: string[];
  /** Those that had been merged into it. */
  merges: number[];
};

/** The rules of identity, in a few lines. */
class Model {
  readonly leads = new Map<number, Lead>();
  readonly holders = new Map<string, { lead: number; isProvisional: boolean }>();
  readonly merges = new Map<number, Merge>();
  readonly sent = new Map<number, Sent>();

  submit(number: number, sent: Sent): void {
    this.sent.set(number, sent);
    const isBot = sent.sender === 'bot';
    const identities = identitiesOf(sent);
    const personal = identities.filter((each) => !each.startsWith('ip'));
    const holders = (personal.length > 0 ? personal : identities).flatMap(
      (each) => this.holders.get(each) ?? [],
    );
    const known = this.leads.get((holders.find((each) => !each.isProvisional) ?? holders[0])?.lead ?? -1);
    const own = { createdAt: number, isBot, shown: number };
    const lead = known ?? { name: number, ...own, own, submissions: new Set<number>() };
    this.leads.set(lead.name, lead);
    lead.submissions.add(number);
    if (known !== undefined && isBot && !known.isBot) return;
    for (const identity of identities) {
      const held = this.holders.get(identity);
      if (held === undefined || (held.isProvisional && !isBot)) {
        this.holders.set(identity, { lead: lead.name, isProvisional: isBot });
      }
    }
    if (!lead.isBot || isBot) return;
    Object.assign(lead, { isBot: false, shown: number });
    lead.own = { ...lead.own, isBot: false, shown: number };
    for (const [identity, held] of this.holders) {
      if (held.lead === lead.name && held.isProvisional) this.holders.delete(identity);
    }
  }

  merge(into: Lead, going: Lead): void {
    const identities = [...this.holders].filter(([, held]) => held.lead === going.name).map(([key]) => key);
    const merges = [...this.merges].filter(([, merge]) => merge.into === going.name).map(([name]) => name);
    Object.assign(into, together(into, going));
    const submissions = [...going.submissions];
    for (const each of submissions) into.submissions.add(each);
    for (const key of identities) this.give(key, into.name);
    for (const name of merges) (this.merges.get(name) as Merge).into = into.name;
    this.leads.delete(going.name);
    this.merges.set(going.name, { into: into.name, lead: going, submissions, identities, merges });
  }

  unmerge(name: number): void {
    const merge = this.merges.get(name) as Merge;
    const survivor = this.leads.get(merge.into) as Lead;
    this.merges.delete(name);
    for (const other of this.merges.values()) if (other.merges.includes(name)) leaveOut(other, name, merge);
    const back = merge.submissions.filter((each) => survivor.submissions.delete(each));
    const out = { ...merge.lead, submissions: new Set(back) };
    this.leads.set(name, out);
    for (const key of merge.identities)
      if (this.holders.get(key)?.lead === survivor.name) this.give(key, name);
    for (const each of merge.merges) {
      const other = this.merges.get(each);
      if (other?.into === survivor.name) other.into = name;
    }
    const wasBot = survivor.isBot;
    for (const lead of [survivor, out]) {
      const into = [...this.merges].filter(([, other]) => other.into === lead.name);
      Object.assign(lead, this.faceOf(lead, new Map(into)));
    }
    if (survivor.isBot && !wasBot) this.giveWhatPeopleBrought(survivor, name);
  }

  /** With all merges into it, those among them that went in with another one too; in the order in which they were made. */
  private faceOf({ own }: Lead, merges: ReadonlyMap<number, Merge>): Face {
    const within = new Set([...merges.values()].flatMap((merge) => merge.merges));
    return [...merges]
      .filter(([name]) => !within.has(name))
      .map(([, merge]) =>
        this.faceOf(merge.lead, new Map([...merges].filter(([name]) => merge.merges.includes(name)))),
      )
      .reduce(together, own);
  }

  private giveWhatPeopleBrought(bot: Lead, to: number): void {
    for (const number of bot.submissions) {
      if (this.sent.get(number)?.sender === 'bot') continue;
      bot.submissions.delete(number);
      this.leads.get(to)?.submissions.add(number);
    }
    for (const [key, held] of this.holders) {
      if (held.lead === bot.name && !held.isProvisional) this.give(key, to);
    }
  }

  /** Leads that show what the visitor submitted go; others lose the visitor. */
  erase(visitor: Visitor): void {
    for (const lead of [...this.leads.values()]) {
      if (this.sent.get(lead.shown)?.visitor !== visitor) continue;
      this.leads.delete(lead.name);
      for (const [name, { into }] of this.merges) if (into === lead.name) this.merges.delete(name);
      for (const [identity, held] of this.holders) if (held.lead === lead.name) this.holders.delete(identity);
    }
    this.holders.delete(`visitor ${visitor}`);
    for (const [number, sent] of this.sent) {
      if (sent.visitor === visitor) this.sent.set(number, { ...sent, visitor: '' });
    }
  }

  private give(identity: string, lead: number): void {
    const held = this.holders.get(identity);
    if (held !== undefined) this.holders.set(identity, { ...held, lead });
  }
}

/** One that was merged into a lead has left before it. */
function leaveOut(merge: Merge, name: number, out: Merge): void {
  const gone = new Set([name, ...out.merges]);
  merge.merges = merge.merges.filter((each) => !gone.has(each));
  merge.submissions = merge.submissions.filter((each) => !out.submissions.includes(each));
  merge.identities = merge.identities.filter((each) => !out.identities.includes(each));
}

function together(one: Face, other: Face): Face {
  return {
    shown: shows(other, one) ? other.shown : one.shown,
    isBot: one.isBot && other.isBot,
    createdAt: Math.min(one.createdAt, other.createdAt),
  };
}

function shows(one: Face, other: Face): boolean {
  return one.isBot === other.isBot ? one.createdAt < other.createdAt : !one.isBot;
}

function identitiesOf({ visitor, email, phone, address }: Sent): string[] {
  const personal = Object.entries({ visitor, email, phone }).filter(([, value]) => value !== '');
  // A server that does not name the person's address has none to tell.
  return [...personal, ...(address === 'server' ? [] : [['ip', address]])].map((pair) => pair.join(' '));
}

/** What is compared with the model, and what must not shrink or be replaced. */
type Row = {
  lead_id: number;
  contact_name: string;
  is_bot_lead: number;
  suspicion_score: number;
  engagement_score: number;
  pages_visited: number;
  session_duration_s: number;
  return_visits: number;
  sends: number;
  contact_email: string;
  contact_phone: string;
  visitor_id: string;
  contact_ip: string;
  project_source: string;
  message: string;
};
const FIGURES = ['engagement_score', 'pages_visited', 'session_duration_s', 'return_visits'] as const;
const SHOWN = [
  'contact_name',
  'contact_email',
  'contact_phone',
  'visitor_id',
  'contact_ip',
  'project_source',
  'message',
] as const;

const FILLED = ['contact_email', 'contact_phone', 'visitor_id', 'message'] as const;
type Stored = Omit<Record<(typeof FILLED)[number], string>, 'message'> & {
  lead_id: number;
  number: string;
  is_bot_lead: number;
  payload_json: string;
};

/** One history, done to the store and to the model alike. */
class History {
  static made = 0;
  readonly id: string;
  readonly model = new Model();
  /** The numbers of the leads in the store, by their first submission. */
  readonly leadIds = new Map<number, number>();
  readonly service: TestService;
  readonly reader: Reader;
  private now = NOON;
  private number = 0;

  constructor(service: TestService, reader: Reader) {
    this.service = service;
    this.reader = reader;
    History.made += 1;
    this.id = String(History.made).padStart(6, '0');
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.take(step);
    await this.compare();
  }

  private async take(step: Step): Promise<void> {
    // So far apart that nobody is suspicious for being fast.
    this.now += 11 * 60 * SECOND_MS;
    const before = await this.rows();
    if (step.kind === 'submit') await this.submit(step, before);
    else if (step.kind === 'visit') await this.visit(step.visitor, step.pages);
    else if (step.kind === 'erase') await this.erase(step.visitor);
    else await this.mergeOrUnmerge(step);
    while ((await this.service.app.store.refreshLeadFigures({ max: 100 })) > 0);
    if (step.kind !== 'erase' && step.kind !== 'unmerge') assertNothingShrank(before, await this.rows());
  }

  private async submit(sent: Sent, before: readonly Row[]): Promise<void> {
    const { store } = this.service.app;
    this.number += 1;
    const number = this.number;
    const isStranger = sent.sender !== 'honest';
    const enquiry = readEnquiry(
      {
        CTA_NAME: `${number}`,
        PROJECT: this.id,
        FIRSTNAME: `s${number}`,
        SOURCE: sent.sender,
        USER_MESSAGE: isStranger ? `Buy this ${number}` : '',
        EMAIL: sent.email === '' ? '' : `${sent.email}-${this.id}@example.org`,
        PHONE: sent.phone === '' ? '' : `+4930${this.id}${sent.phone}`,
        __visitor_id: this.visitorId(sent.visitor),
        __pg_tts: isStranger ? '1' : '30',
        __pg_hp: sent.sender === 'bot' ? 'x' : '',
        CLIENT_IP: sent.address === 'server' ? '' : this.address(sent.address),
      },
      { at: this.now, ip: '192.0.2.1', headers: { 'x-api-key': INTEGRATION_KEY }, locate: unknownGeo },
    );
    const capture = captureOf(enquiry, {
      sendPublicId: randomUUIDv7(),
      botLeadDetection: true,
      // No address gets blocked.
      isTrustedProxy: true,
    });
    const outcome = await store.captureLead(capture);
    assert.ok(outcome.kind === 'stored');
    if (outcome.isPrimary) this.leadIds.set(number, outcome.leadId);
    const owner = this.model.leads.get(this.nameOf(outcome.leadId));
    const shownSender = this.model.sent.get(owner?.shown ?? 0)?.sender;
    this.model.submit(number, sent);

    const after = await this.rows();
    const lead = after.find(({ lead_id }) => lead_id === outcome.leadId);
    if (sent.sender !== 'bot')
      assert.ok(Number(lead?.sends) > 0, 'an enquiry is in a lead that is forwarded');
    const known = before.find(({ lead_id }) => lead_id === outcome.leadId);
    if (known?.is_bot_lead === 0 && isStranger && shownSender === 'honest')
      assertNothingReplaced(known, lead);
  }

  private async visit(visitor: Visitor, pages: number): Promise<void> {
    const session_id = randomUUIDv7();
    const start = {
      kind: 'start',
      at: this.now,
      session_id,
      visitor_id: this.visitorId(visitor),
      device_id: 'd',
      fingerprint_id: `f-${this.visitorId(visitor)}`,
      page: 'https://example.com/',
      referrer: null,
      device_info: {},
      screen: {},
      ip: '192.0.2.7',
      geo: unknownGeo(),
      hosting: false,
    };
    const events = Array.from({ length: pages }, (_, i) => ({
      event_id: `${i}`,
      type: 'page_view',
      at: this.now + i * SECOND_MS,
      page: `https://example.com/${i}`,
      data: null,
    }));
    const lines = [start, { kind: 'events', at: this.now, session_id, events }];
    await this.service.app.store.ingestTracking({
      spoolId: session_id,
      firstSequence: 1,
      lastSequence: 1,
      lines: new TextEncoder().encode(lines.map((line) => JSON.stringify(line)).join('\n')),
      now: this.now,
    });
  }

  private async erase(visitor: Visitor): Promise<void> {
    const others = VISITORS.filter((each) => each !== visitor)
      .map((each) => `'${this.visitorId(each)}'`)
      .join();
    const sessionsOfOthers = () =>
      this.reader.rows<{ visitor_id: string; sessions: number }>(
        `select visitor_id, count(*) as sessions from sessions where visitor_id in (${others})
        group by visitor_id order by visitor_id`,
      );
    const before = await sessionsOfOthers();
    const person = readPerson({ visitor_id: this.visitorId(visitor) });
    await this.service.app.store.erasePerson({ erasureId: randomUUIDv7(), person, now: this.now });
    this.model.erase(visitor);
    assert.deepEqual(await sessionsOfOthers(), before, 'sessions of others stay');
    await this.compare();
  }

  private async mergeOrUnmerge({ kind, into, other }: Extract<Step, { kind: 'merge' | 'unmerge' }>) {
    const { store } = this.service.app;
    if (kind === 'unmerge') {
      const merges = [...this.model.merges];
      const [name, merge] = merges[other % (merges.length || 1)] ?? [];
      if (name === undefined || merge === undefined) return;
      const ids = { id: this.idOf(merge.into), otherId: this.idOf(name), now: this.now };
      assert.ok(typeof (await store.unmergeLead(ids)) === 'object');
      this.model.unmerge(name);
    } else {
      const leads = [...this.model.leads.values()];
      const [survivor, going] = [leads[into % (leads.length || 1)], leads[other % (leads.length || 1)]];
      if (survivor === undefined || going === undefined || survivor === going) return;
      const ids = { id: this.idOf(survivor.name), otherId: this.idOf(going.name) };
      assert.ok(typeof (await store.mergeLeads({ ...ids, now: this.now })) === 'object');
      this.model.merge(survivor, going);
    }
    await this.compare();
  }

  /** Which submissions are together in which lead, which one it shows, and what it is known by. */
  private async compare(): Promise<void> {
    const stored = await this.reader.rows<Stored>(
      `select *, cta_name as number from submissions where project_name = '${this.id}' order by submission_id`,
    );
    const held = await this.reader.rows<{
      lead_id: number;
      kind: string;
      value: string;
      is_provisional: number;
    }>(`select lead_id, kind, value, is_provisional from lead_identities where project_key = '${this.id}'`);
    const leads = await this.rows();
    const actual = leads.map((row) => ({
      lead: this.nameOf(row.lead_id),
      shown: row.contact_name,
      isBot: row.is_bot_lead === 1,
      submissions: stored
        .filter(({ lead_id }) => lead_id === row.lead_id)
        .map(({ number }) => Number(number)),
      identities: held
        .filter(({ lead_id }) => lead_id === row.lead_id)
        .map(({ kind, value, is_provisional }) => `${kind} ${this.short(value)} ${is_provisional}`)
        .sort(),
    }));
    const expected = [...this.model.leads.values()].map((lead) => ({
      lead: lead.name,
      shown: `s${lead.shown}`,
      isBot: lead.isBot,
      submissions: [...lead.submissions].sort((a, b) => a - b),
      identities: [...this.model.holders]
        .filter(([, holder]) => holder.lead === lead.name)
        .map(([identity, { isProvisional }]) => `${identity} ${isProvisional ? 1 : 0}`)
        .sort(),
    }));
    const byLead = (a: { lead: number }, b: { lead: number }) => a.lead - b.lead;
    assert.deepEqual(actual.sort(byLead), expected.sort(byLead));
    for (const lead of leads) {
      assertFilled(
        lead,
        stored.filter(({ lead_id }) => lead_id === lead.lead_id),
      );
    }
  }

  private rows(): Promise<Row[]> {
    return this.reader.rows<Row>(
      `select *, (select count(*) from flow_sends where flow_sends.lead_id = leads.lead_id) as sends
      from leads where project_key = '${this.id}'`,
    );
  }

  private nameOf(leadId: number): number {
    return [...this.leadIds].find(([, id]) => id === leadId)?.[0] ?? 0;
  }

  private idOf(name: number): string {
    return String(this.leadIds.get(name));
  }

  private visitorId(visitor: Visitor | ''): string {
    return visitor === '' ? '' : `${this.id}-${visitor}`;
  }

  private address(of: 'home' | 'office' | 'stranger'): string {
    const net = Number(this.id).toString(16);
    return `2001:db8:${net}::${{ home: 1, office: 2, stranger: 3 }[of]}`;
  }

  /** The value of an identity as the model has it. */
  private short(value: string): string {
    const addresses = { [this.address('home')]: 'home', [this.address('office')]: 'office' };
    if (value.includes('::')) return addresses[value] ?? 'stranger';
    if (value.startsWith('+4930')) return value.slice(-1);
    return value.replace(`${this.id}-`, '').replace(`-${this.id}@example.org`, '');
  }
}

function assertNothingShrank(before: readonly Row[], after: readonly Row[]): void {
  for (const was of before) {
    const now = after.find(({ lead_id }) => lead_id === was.lead_id);
    // A bot's lead may be taken over, or lose what only bots had brought.
    if (now === undefined || was.is_bot_lead === 1) continue;
    for (const figure of FIGURES) {
      assert.ok(now[figure] >= was[figure], `${figure} went from ${was[figure]} to ${now[figure]}`);
    }
  }
}

function assertNothingReplaced(was: Row, now: Row | undefined): void {
  for (const column of SHOWN) {
    if (was[column] !== '') assert.equal(now?.[column], was[column], `a stranger replaced ${column}`);
  }
  assert.equal(now?.suspicion_score, was.suspicion_score, 'a stranger raised the risk');
}

/** What the shown submission leaves empty comes from another one of the lead, and none of a bot speaks for a person. */
function assertFilled(lead: Row, stored: readonly Stored[]): void {
  const own = stored.filter(({ is_bot_lead }) => is_bot_lead <= lead.is_bot_lead);
  const shown = own.find(({ number }) => `s${number}` === lead.contact_name);
  for (const column of FILLED) {
    const sentIn = (submission: Stored): string =>
      column === 'message' ? JSON.parse(submission.payload_json).USER_MESSAGE : submission[column];
    const first = shown === undefined ? '' : sentIn(shown);
    const values = first === '' ? own.map(sentIn).filter((value) => value !== '') : [first];
    // One that was erased is not filled again.
    const isLeftEmpty = lead[column] === '' && (values.length === 0 || column === 'visitor_id');
    assert.ok(isLeftEmpty || values.includes(lead[column]), `${column} is ${lead[column]}, not of ${values}`);
  }
}

/** The service never looks for all of a project, and without them each history would read those before it. */
const INDEXES = [
  'leads (project_key)',
  'submissions (project_name)',
  'lead_identities (project_key)',
  'sessions (visitor_id)',
].map((on, number) => `create index of_history_${number} on ${on}`);

/** At once, so that they share commits. */
const HISTORIES_AT_ONCE = 10;
/** An erasure looks through much of a database, so that a long run would become ever slower in one. */
const HISTORIES_PER_DATABASE = 1000;

onBothStores('histories of a project', (kind) => {
  for (let first = 0; first < HISTORIES; first += HISTORIES_PER_DATABASE) {
    const histories = Math.min(HISTORIES - first, HISTORIES_PER_DATABASE);
    describe(`${first + 1} to ${first + histories}`, () => {
      const service = useService(kind, { env: CAPTURE_ENV });
      before(() => rows(service, INDEXES.join(';')));

      test("follow the model, and the lead stays its person's", async () => {
        await using reader = openReader(service);
        const someHistory = fc.array(someStep, { minLength: 1, maxLength: STEPS_MAX, size: 'max' });
        const property = fc.asyncProperty(
          fc.array(someHistory, { minLength: HISTORIES_AT_ONCE, maxLength: HISTORIES_AT_ONCE }),
          async (group) => {
            await Promise.all(group.map((steps) => new History(service, reader).run(steps)));
          },
        );
        await fc.assert(property, {
          numRuns: Math.ceil(histories / HISTORIES_AT_ONCE),
          // In a long run the database is large by then, and to shrink what failed would take for ever.
          endOnFailure: process.env.HISTORIES !== undefined,
          ...(SEED === undefined ? {} : { seed: Number(SEED) + first }),
        });
        await service.app.indexing.settled();
        assert.deepEqual(await service.app.store.recount(), []);
      });
    });
  }
});
