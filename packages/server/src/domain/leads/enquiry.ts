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

/** A parsed submission: what was sent, by whom and from where, before anything is looked up in the store. */
export type Enquiry = {
  at: number;
  /** False: the body could not be parsed, and the form is empty. */
  isReadable: boolean;
  form: LeadForm;
  /** Everything that was sent, as it is stored. */
  payloadJson: string;
  customFields: CustomFields;
  /** Why the settings reject it; '' or missing, as in lead logs of earlier versions: they do not. */
  unwanted?: string;
  /** Missing where there was no check. */
  spamCheck?: SpamCheckOutcome | undefined;
  /** Stored as its address: the person's where it is known, else the caller's. */
  ip: string;
  /** Where the request came from. */
  callerIp: string;
  /** The person's own address; null where a server sent the lead without naming it. */
  personIp: string | null;
  geo: Geo;
  userAgent: string;
  isBotAgent: boolean;
  /** The Origin header, for CORS. */
  origin: string | null;
  /** The page that the form is on. */
  page: string | null;
  /** Stored as its referer. */
  referer: string;
  /** Of the API key; null: sent by a browser. */
  keyHash: string | null;
  /** The server's idempotency key; null: none. */
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
  /** Parameters to redact in page addresses, besides the built-in ones. */
  redacted?: readonly string[];
};

const USER_AGENT_CHARS_MAX = 1024;

/** `sent` is null for a body that could not be parsed. */
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

/** What it takes, besides the form, to read a set-aside submission again. The API key is not stored. */
export function senderToKeep({ callerIp, geo, userAgent, origin, keyHash: hash }: Enquiry): KeptSender {
  const headers = { 'user-agent': userAgent, ...(origin === null ? {} : { origin }) };
  return { callerIp, geo, headers: hash === null ? headers : { ...headers, 'x-api-key': '' } };
}

type KeptSender = { callerIp: string; geo: Geo; headers: Record<string, string> };

/** '' if unknown, as in rows of earlier versions. */
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
