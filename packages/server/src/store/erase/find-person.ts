import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { countryOfSender } from '../../domain/leads/enquiry.ts';
import { readLeadForm } from '../../domain/leads/form-fields.ts';
import type { Identity } from '../../domain/leads/lead-identity.ts';
import type { Contact, Person } from '../../domain/leads/person.ts';
import type { Db } from '../dialect.ts';
import { personLock } from '../leads/look-up.ts';
import { PAYLOAD_BYTES, readPayloads, type SentPayload } from '../leads/payloads.ts';

/** Everything known of a person, in all tables. */
export type FoundPerson = {
  /** The given identifiers, and all others found to belong to the person. */
  person: Person;
  leads: FoundLead[];
  setAsideIds: number[];
};
export type FoundLead = { leadId: number; because: Identifier[] };
type Identifier = 'email' | 'phone' | 'visitor_id';

type HeldIdentity = Identity & { project_key: string; lead_id: number };

/** Finds a person and locks their identities, so that nothing is added until the transaction ends. */
export async function findAndHold(db: Db, meant: Person): Promise<FoundPerson> {
  const locked = new Set<string>();
  for (;;) {
    const { identities, ...found } = await findPerson(db, meant);
    // SQLite has a single writer: there is nothing to lock.
    if (db.dialect.kind === 'sqlite') return found;
    const locks = identities.map((identity) => personLock(identity.project_key, identity));
    const open = locks.filter((lock) => !locked.has(lock));
    if (open.length === 0) return found;
    // A submission may have come in before the locks were held: look again.
    await db.dialect.lockEach(open);
    for (const lock of open) locked.add(lock);
  }
}

async function findPerson(db: Db, given: Person): Promise<FoundPerson & { identities: HeldIdentity[] }> {
  // Loaded lazily: libphonenumber metadata takes more memory than the rest of the store.
  const { nationalPhone, personOf, sharesIdentifier, together, withCountry } = await import(
    '../../domain/leads/person.ts'
  );
  const contactsLike = async (person: Person) => [
    ...(await submissionsLike(db, person)),
    ...(await setAsideLike(db, person)),
  ];
  const isNational = nationalPhone(given) !== null;
  const meant = isNational ? withCountry(given, (await contactsLike(given)).map(contactOf)) : given;

  const leads = await leadsOf(db, meant);
  const leadIds = leads.map(({ leadId }) => leadId);
  const identities = await identitiesOf(db, leadIds);
  // A visitor id stands for a browser that several people may use: it does not lead to contact details.
  const ofContact = leads.filter(({ because }) => because.some((each) => each !== 'visitor_id'));
  const known = await knownOf(db, ofContact, identities);
  const isMeant = (row: ContactRow) => sharesIdentifier(meant, personOf(contactOf(row)));
  const setAside = (await setAsideLike(db, meant)).filter(isMeant);
  const reachable = setAside.filter((row) =>
    sharesIdentifier(withoutVisitors(meant), personOf(contactOf(row))),
  );
  const person = together([meant, ...known, ...reachable.map((row) => personOf(contactOf(row)))]);

  const isOfPerson = (row: ContactRow) => sharesIdentifier(person, personOf(contactOf(row)));
  const setAsideIds = (await setAsideLike(db, person)).filter(isOfPerson).map(({ id }) => id);
  return { person, leads, setAsideIds, identities };
}

function withoutVisitors(person: Person): Person {
  return { ...person, visitors: [] };
}

/** Leads that hold one of the contact details, and leads that show a submission from one of the visitors. */
async function leadsOf(db: Db, meant: Person): Promise<FoundLead[]> {
  const { personOf, sharesIdentifier } = await import('../../domain/leads/person.ts');
  const found = new Map<number, Identifier[]>();
  const add = (identifier: Identifier, leadIds: Iterable<number>) => {
    for (const leadId of new Set(leadIds)) found.set(leadId, [...(found.get(leadId) ?? []), identifier]);
  };
  const ofContact = async (one: Person) => {
    const submissions = await submissionsLike(db, one);
    const meantBy = submissions.filter((row) => sharesIdentifier(one, personOf(contactOf(row))));
    return [...(await leadsHolding(db, one)), ...meantBy.map(({ lead_id }) => lead_id)];
  };
  add('email', await ofContact({ emails: meant.emails, phones: [], visitors: [] }));
  add('phone', await ofContact({ emails: [], phones: meant.phones, visitors: [] }));
  add('visitor_id', await leadsShowing(db, meant.visitors));
  return [...found].map(([leadId, because]) => ({ leadId, because }));
}

async function leadsShowing({ query, dialect }: Db, visitors: readonly string[]): Promise<number[]> {
  if (visitors.length === 0) return [];
  const { rows } = await sql<{ lead_id: number }>`
    select distinct l.lead_id from submissions s join leads l on l.lead_id = s.lead_id
    where s.visitor_id in ${dialect.anyOf(visitors)} and case l.shown_submission_id
      when 0 then s.is_primary_lead = 1 else s.submission_id = l.shown_submission_id end
  `.execute(query);
  return rows.map(({ lead_id }) => lead_id);
}

/** All identifiers that leads hold of their person. */
async function knownOf(
  db: Db,
  leads: readonly FoundLead[],
  identities: readonly HeldIdentity[],
): Promise<Person[]> {
  const { personOf } = await import('../../domain/leads/person.ts');
  const leadIds = leads.map(({ leadId }) => leadId);
  return [
    ...(await contactsOf(db, leadIds)).map((row) => personOf(contactOf(row))),
    ...identities.filter(({ lead_id }) => leadIds.includes(lead_id)).map(personOfIdentity),
  ];
}

/** The sender of a submission, with the same column names for all tables. */
type ContactRow = {
  email: string;
  phone: string;
  dial_code: string;
  country: string;
  visitor_id: string;
};

function contactOf({ email, phone, dial_code, country, visitor_id }: ContactRow): Contact {
  return { email, phone, dialCode: dial_code, country, visitorId: visitor_id };
}

function personOfIdentity({ kind, value }: Identity): Person {
  const of = (wanted: Identity['kind']) => (kind === wanted ? [value] : []);
  return { emails: of('email'), phones: of('phone'), visitors: of('visitor') };
}

async function leadsHolding({ query, dialect }: Db, person: Person): Promise<number[]> {
  const held = [
    ...person.visitors.map((value) => ['visitor', value] as const),
    ...person.emails.map((value) => ['email', value] as const),
    ...person.phones.map((value) => ['phone', value] as const),
  ];
  const { rows } = await sql<{ lead_id: number }>`
    select distinct i.lead_id from ${dialect.pairs(held, 'text')} p
    cross join lead_identities i where i.kind = p.a and i.value = p.b
  `.execute(query);
  return rows.map(({ lead_id }) => lead_id);
}

async function identitiesOf({ query, dialect }: Db, leadIds: readonly number[]): Promise<HeldIdentity[]> {
  if (leadIds.length === 0) return [];
  const held = await query
    .selectFrom('lead_identities')
    .selectAll()
    .where('lead_id', 'in', dialect.anyOf(leadIds))
    .execute();
  return held as HeldIdentity[];
}

/** The dial code is read from the payload: a follow-up may have another one than its lead. */
const SENT_CONTACT = sql`
  s.submission_id, ${PAYLOAD_BYTES} as payload_bytes, s.contact_email as email, s.contact_phone as phone, s.visitor_id,
  l.contact_country_name as country`;
type SentContact = Omit<ContactRow, 'dial_code'> & SentPayload;

function withDialCodes<R extends SentContact>(db: Db, rows: readonly R[]) {
  return readPayloads(db, rows, (payload, row) => ({ ...row, dial_code: readLeadForm(payload).dialCode }));
}

async function contactsOf(db: Db, leadIds: readonly number[]): Promise<ContactRow[]> {
  if (leadIds.length === 0) return [];
  const { rows } = await sql<SentContact>`
    select ${SENT_CONTACT}
    from submissions s join leads l on l.lead_id = s.lead_id
    where s.lead_id in ${db.dialect.anyOf(leadIds)}
  `.execute(db.query);
  return withDialCodes(db, rows);
}

/**
 * Candidates, to be filtered by the caller: the databases cannot normalise e-mail addresses and phone numbers
 * as the service does. Only this finds contact details whose identity is held by another lead.
 */
async function submissionsLike(db: Db, person: Person): Promise<(ContactRow & { lead_id: number })[]> {
  const { query, dialect } = db;
  const conditions = [
    ...person.emails.map((email) => dialect.contains('s.contact_email', plainPart(email))),
    ...person.phones.map((phone) => phoneLike('s.contact_phone', phone)),
    ...(person.visitors.length === 0 ? [] : [sql`s.visitor_id in ${dialect.anyOf(person.visitors)}`]),
  ];
  if (conditions.length === 0) return [];
  const { rows } = await sql<SentContact & { lead_id: number }>`
    select s.lead_id, ${SENT_CONTACT}
    from submissions s join leads l on l.lead_id = s.lead_id
    where ${sql.join(conditions, sql` or `)}
  `.execute(query);
  return withDialCodes(db, rows);
}

/** The same for set-aside leads. Their visitor id is only in the payload, their country only in `sender`. */
async function setAsideLike(
  { query, dialect }: Db,
  person: Person,
): Promise<(ContactRow & { id: number })[]> {
  const conditions = [
    ...person.emails.map((email) => dialect.contains('contact_email', plainPart(email))),
    ...person.phones.map((phone) => phoneLike('contact_phone', phone)),
    ...person.visitors.map((id) => dialect.contains('payload_json', plainPart(asJson(id)))),
  ];
  if (conditions.length === 0) return [];
  const { rows } = await sql<{
    id: number;
    email: string;
    phone: string;
    dial_code: string;
    payload_json: string;
    sender: string;
  }>`
    select id, contact_email as email, contact_phone as phone, contact_country_code as dial_code, payload_json, sender
    from set_aside_leads where ${sql.join(conditions, sql` or `)}
  `.execute(query);
  return rows.map(({ payload_json, sender, ...row }) => ({
    ...row,
    country: countryOfSender(sender),
    visitor_id: readLeadForm(JSON.parse(payload_json)).visitorId,
  }));
}

/** The longest ASCII part: only there do both databases fold case alike. */
function plainPart(text: string): string {
  const parts = text.split(/\P{ASCII}+/u);
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}

function asJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

const PHONE_DIGITS_COMPARED = 5;
/** The zeros of the digits that people type: ASCII, full width, and the two of Arabic script. */
const ZEROS = ['0', '０', '٠', '۰'];

/** Matches the last digits in order, with anything between them. */
function phoneLike(column: string, key: string): RawBuilder<SqlBool> {
  const digits = [...key.slice(-PHONE_DIGITS_COMPARED)].map(Number);
  const written = (zero: string) =>
    digits.map((digit) => String.fromCodePoint((zero.codePointAt(0) ?? 0) + digit));
  const patterns = ZEROS.map((zero) => `%${written(zero).join('%')}%`);
  const conditions = patterns.map((pattern) => sql`${sql.ref(column)} like ${pattern}`);
  return sql`(${sql.join(conditions, sql` or `)})`;
}
