import { canonicalIp } from '../../lib/ip-address.ts';
import { type Geo, unknownGeo } from '../geo.ts';
import { keyHash } from '../setup/integration-key.ts';
import { callerPage } from '../setup/site-domain.ts';
import { boundedAddress, cut } from '../tracking/page-address.ts';
import { withoutPrivateValues } from '../tracking/private-parameters.ts';
import { isBotAgent } from './bot-lead.ts';
import { emailKey, type Phone, readPhone } from './contact.ts';
import { type CustomFields, customFields } from './custom-fields.ts';
import { type FormRecord, findFields, type LeadForm, readLeadForm, withAddresses } from './form-fields.ts';
import { type Idempotency, readIdempotency } from './idempotency.ts';
import { type Identity, identitiesOf, projectKey } from './lead-identity.ts';
import type { SpamCheckOutcome } from './suspicion.ts';

/** A submission as far as it can be understood by itself: what was sent, by whom and from where. */
export type Enquiry = {
  at: number;
  /** Otherwise there is nothing in its form. */
  isReadable: boolean;
  form: LeadForm;
  /** Everything that was sent, as it is kept. */
  payloadJson: string;
  customFields: CustomFields;
  /** Why the settings do not want it; '' or missing, as in what earlier versions have logged: they do. */
  unwanted?: string;
  /** Missing where there was no check. */
  spamCheck?: SpamCheckOutcome | undefined;
  /** What is kept as its address: the person's where it is known, else the caller's. */
  ip: string;
  /** Where the request came from. */
  callerIp: string;
  /** The person's own address; null where a server sent the lead without naming it. */
  personIp: string | null;
  geo: Geo;
  userAgent: string;
  isBotAgent: boolean;
  /** As the browser says, for pages that want to read the answer. */
  origin: string | null;
  /** The page that the form is on. */
  page: string | null;
  /** What is kept as its referer. */
  referer: string;
  /** Of the API key; null: it comes from a browser. */
  keyHash: string | null;
  /** By which a server may send it again; null: it does not say. */
  idempotency: Idempotency | null;
  phone: Phone;
  projectKey: string;
  identities: Identity[];
};

export type SentHeaders = Readonly<Record<string, string | string[] | undefined>>;

export type Sender = {
  at: number;
  ip: string;
  headers: SentHeaders;
  /** Geography headers describe the caller, so they count only where the caller is the person. */
  locate: (ip: string, headers: SentHeaders | null) => Geo;
  /** Parameters of page addresses whose values are not kept, besides the usual ones. */
  redacted?: readonly string[];
};

const USER_AGENT_CHARS_MAX = 1024;

/** Without a record: a body that cannot be read. */
export function readEnquiry(
  sent: FormRecord | null,
  { at, ip, headers, locate, redacted = [] }: Sender,
): Enquiry {
  const kept = (address: string) => withoutPrivateValues(address, redacted);
  const record = withAddresses(sent ?? {}, kept);
  const found = findFields(record);
  const form = readLeadForm(record, found);
  const apiKey = text(headers['x-api-key']);
  const isServer = apiKey !== undefined;
  const personIp = isServer ? canonicalIp(form.clientIp) : ip;
  const geo = personIp === null ? unknownGeo() : locate(personIp, isServer ? null : headers);
  const phone = readPhone(form.phone, form.dialCode, geo.country);
  const origin = text(headers.origin);
  const referer = text(headers.referer);
  const personAgent = isServer ? form.clientUserAgent : '';
  const payloadJson = JSON.stringify(record);
  const userAgent = personAgent || cut(text(headers['user-agent']) ?? '', USER_AGENT_CHARS_MAX);
  return {
    at,
    isReadable: sent !== null,
    form,
    payloadJson,
    customFields: customFields(record, found),
    ip: personIp ?? ip,
    callerIp: ip,
    personIp,
    geo,
    userAgent,
    isBotAgent: isBotAgent(userAgent, !isServer || personAgent !== ''),
    origin: origin ?? null,
    page: callerPage({ origin, referer }),
    referer: boundedAddress(form.pageUrl || kept(referer ?? '') || form.referedBy),
    keyHash: isServer ? keyHash(apiKey.trim()) : null,
    idempotency: isServer ? readIdempotency(text(headers['idempotency-key']), payloadJson) : null,
    phone,
    projectKey: projectKey(form.project),
    identities: identitiesOf({
      visitorId: form.visitorId,
      emailKey: emailKey(form.email),
      phoneKey: phone.key,
      ip: personIp,
    }),
  };
}

/** What it takes besides the form to read an enquiry again that was set aside. The key itself is not kept. */
export function senderToKeep({ callerIp, geo, userAgent, origin, keyHash: hash }: Enquiry): KeptSender {
  const headers = { 'user-agent': userAgent, ...(origin === null ? {} : { origin }) };
  return { callerIp, geo, headers: hash === null ? headers : { ...headers, 'x-api-key': '' } };
}

type KeptSender = { callerIp: string; geo: Geo; headers: Record<string, string> };

/** '' where it is not known, as in rows of earlier versions. */
export function countryOfSender(kept: string): string {
  const { geo }: Partial<KeptSender> = JSON.parse(kept);
  return geo?.country ?? '';
}

export function readEnquiryAgain(kept: {
  received_at: number;
  ip: string;
  referer: string;
  payload_json: string;
  sender: string;
}): Enquiry {
  // Rows of earlier versions have no sender.
  const {
    callerIp = kept.ip,
    geo = unknownGeo(),
    headers = {},
  }: Partial<KeptSender> = JSON.parse(kept.sender);
  return readEnquiry(JSON.parse(kept.payload_json), {
    at: kept.received_at,
    ip: callerIp,
    headers: { ...headers, referer: kept.referer },
    locate: () => geo,
  });
}

function text(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
