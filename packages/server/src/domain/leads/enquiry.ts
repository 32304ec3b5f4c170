import type { Geo } from '../geo.ts';
import { keyHash } from '../setup/integration-key.ts';
import { callerPage } from '../setup/site-domain.ts';
import { boundedAddress, cut } from '../tracking/page-address.ts';
import { isBotAgent } from './bot-lead.ts';
import { emailKey, type Phone, readPhone } from './contact.ts';
import { type FormRecord, type LeadForm, readLeadForm } from './form-fields.ts';
import { type Identity, identitiesOf, projectKey } from './lead-identity.ts';

/** A submission as far as it can be understood by itself: what was sent, by whom and from where. */
export type Enquiry = {
  at: number;
  /** Otherwise there is nothing in its form. */
  isReadable: boolean;
  form: LeadForm;
  /** Everything that was sent, as it is kept. */
  payloadJson: string;
  ip: string;
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
  phone: Phone;
  projectKey: string;
  identities: Identity[];
};

export type SentHeaders = Readonly<Record<string, string | string[] | undefined>>;

const USER_AGENT_CHARS_MAX = 1024;

/** Without a record: a body that cannot be read. */
export function readEnquiry(
  record: FormRecord | null,
  sender: { at: number; ip: string; geo: Geo; headers: SentHeaders },
): Enquiry {
  const { at, ip, geo, headers } = sender;
  const form = readLeadForm(record ?? {});
  const phone = readPhone(form.phone, form.dialCode, geo.country);
  const apiKey = text(headers['x-api-key']);
  const origin = text(headers.origin);
  const referer = text(headers.referer);
  const userAgent = cut(text(headers['user-agent']) ?? '', USER_AGENT_CHARS_MAX);
  return {
    at,
    isReadable: record !== null,
    form,
    payloadJson: JSON.stringify(record ?? {}),
    ip,
    geo,
    userAgent,
    isBotAgent: isBotAgent(userAgent, apiKey === undefined),
    origin: origin ?? null,
    page: callerPage({ origin, referer }),
    referer: boundedAddress(form.pageUrl || referer || form.referedBy),
    keyHash: apiKey === undefined ? null : keyHash(apiKey.trim()),
    phone,
    projectKey: projectKey(form.project),
    identities: identitiesOf({
      visitorId: form.visitorId,
      emailKey: emailKey(form.email),
      phoneKey: phone.key,
      ip,
    }),
  };
}

function text(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
