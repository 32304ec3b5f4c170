import { ID_CHARS_MAX } from '@leadtrail/contract/limits';
import { DAY_MS, SECOND_MS } from '../../lib/utc-time.ts';
import { cut } from '../tracking/page-address.ts';

/** A form as it was sent: field names to JSON values, without `__proto__`. A repeated field is an array. */
export type FormRecord = Readonly<Record<string, unknown>>;

/** Every text is trimmed, bounded and storable in both databases; a missing field is ''. */
export type LeadForm = Readonly<Record<TextField, string>> & {
  readonly timeToSubmitS: number | null;
  /** Only those that were given. */
  readonly campaign: Readonly<Partial<Record<CampaignParam, string>>>;
};

const LABEL_CHARS_MAX = 256;
/** 64 before the @ and 255 after it. */
const EMAIL_CHARS_MAX = 320;
const PHONE_CHARS_MAX = 64;
const DIAL_CODE_CHARS_MAX = 16;
const MESSAGE_CHARS_MAX = 16 * 1024;
const ADDRESS_CHARS_MAX = 2048;
const CAMPAIGN_CHARS_MAX = 512;
const NUMBER_CHARS_MAX = 32;
const IP_CHARS_MAX = 64;
const USER_AGENT_CHARS_MAX = 1024;
/** Capped, so that forms left open overnight do not distort averages. */
const TIME_TO_SUBMIT_S_MAX = DAY_MS / SECOND_MS;

type Field = {
  readonly names: readonly [canonical: string, ...aliases: string[]];
  readonly charsMax: number;
};

/** What scripts send for a missing visitor id; taken as one, it would merge all visitors into one lead. */
const NO_VISITOR: ReadonlySet<string> = new Set([
  'undefined',
  'null',
  'none',
  'nan',
  'false',
  '[object object]',
]);

const TEXT_FIELDS = {
  name: { names: ['FIRSTNAME', 'name'], charsMax: LABEL_CHARS_MAX },
  email: { names: ['EMAIL'], charsMax: EMAIL_CHARS_MAX },
  phone: { names: ['PHONE'], charsMax: PHONE_CHARS_MAX },
  dialCode: { names: ['COUNTRYCODE', 'country_code'], charsMax: DIAL_CODE_CHARS_MAX },
  project: { names: ['PROJECT'], charsMax: LABEL_CHARS_MAX },
  location: { names: ['LOCATION'], charsMax: LABEL_CHARS_MAX },
  team: { names: ['TEAM'], charsMax: LABEL_CHARS_MAX },
  domain: { names: ['DOMAIN'], charsMax: ADDRESS_CHARS_MAX },
  source: { names: ['SOURCE'], charsMax: LABEL_CHARS_MAX },
  keyword: { names: ['KEYWORD'], charsMax: LABEL_CHARS_MAX },
  message: { names: ['USER_MESSAGE', 'message'], charsMax: MESSAGE_CHARS_MAX },
  pageUrl: { names: ['PAGE_URL'], charsMax: ADDRESS_CHARS_MAX },
  referedBy: { names: ['refered_by'], charsMax: ADDRESS_CHARS_MAX },
  ctaName: { names: ['CTA_NAME'], charsMax: LABEL_CHARS_MAX },
  siteKey: { names: ['siteKey'], charsMax: ID_CHARS_MAX },
  formId: { names: ['formId'], charsMax: ID_CHARS_MAX },
  visitorId: { names: ['__visitor_id'], charsMax: ID_CHARS_MAX },
  honeypot: { names: ['__pg_hp'], charsMax: LABEL_CHARS_MAX },
  clientIp: { names: ['CLIENT_IP'], charsMax: IP_CHARS_MAX },
  clientUserAgent: { names: ['CLIENT_USER_AGENT'], charsMax: USER_AGENT_CHARS_MAX },
} as const satisfies Record<string, Field>;
type TextField = keyof typeof TEXT_FIELDS;
const TEXT_FIELD_KEYS = Object.keys(TEXT_FIELDS) as TextField[];
/** Copied rather than built from entries, which takes several times as long. */
const NO_TEXTS = Object.fromEntries(TEXT_FIELD_KEYS.map((key) => [key, ''])) as Record<TextField, string>;

export const CAMPAIGN_PARAMS = [
  'gclid',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'fbclid',
  'msclkid',
] as const;
export type CampaignParam = (typeof CAMPAIGN_PARAMS)[number];

type FieldKey = TextField | CampaignParam | 'timeToSubmitS';
type Spelling = { key: FieldKey; rank: number; charsMax: number };
type Found = ReadonlyMap<FieldKey, { text: string; rank: number }>;

const FIELDS: readonly (readonly [FieldKey, Field])[] = [
  ...(Object.entries(TEXT_FIELDS) as [TextField, Field][]),
  ...CAMPAIGN_PARAMS.map((param) => [param, campaignField(param)] as const),
  ['timeToSubmitS', { names: ['__pg_tts'], charsMax: NUMBER_CHARS_MAX }],
];

function campaignField(param: CampaignParam): Field {
  return { names: [`__${param}`], charsMax: CAMPAIGN_CHARS_MAX };
}

/** Most forms use the canonical names, which need no lower-casing. */
const CANONICAL: ReadonlyMap<string, Spelling> = new Map(
  FIELDS.map(([key, { names, charsMax }]) => [names[0], { key, rank: 0, charsMax }]),
);
const LOWER_CASED: ReadonlyMap<string, Spelling> = new Map(
  FIELDS.flatMap(([key, { names, charsMax }]) =>
    names.map((name, index) => [name.toLowerCase(), { key, rank: index + 1, charsMax }] as const),
  ),
);

/** A longer name cannot match, so it is not lower-cased. */
const NAME_CHARS_MAX = Math.max(...[...LOWER_CASED.keys()].map((name) => name.length));

function spellingOf(name: string): Spelling | undefined {
  const canonical = CANONICAL.get(name);
  if (canonical !== undefined || name.length > NAME_CHARS_MAX) return canonical;
  return LOWER_CASED.get(name.toLowerCase());
}

export function readLeadForm(record: FormRecord): LeadForm {
  const found = findFields(record);
  const texts = { ...NO_TEXTS };
  for (const key of TEXT_FIELD_KEYS) texts[key] = found.get(key)?.text ?? '';
  return {
    ...texts,
    visitorId: visitorOf(texts.visitorId),
    timeToSubmitS: seconds(found.get('timeToSubmitS')?.text ?? ''),
    campaign: campaignOf(found),
  };
}

/** Of several spellings of a field the best-ranked counts, of equals the first. */
function findFields(record: FormRecord): Found {
  const found = new Map<FieldKey, { text: string; rank: number }>();
  for (const name of Object.keys(record)) {
    const spelling = spellingOf(name);
    if (spelling === undefined) continue;
    const { key, rank, charsMax } = spelling;
    const other = found.get(key);
    if (other !== undefined && other.rank <= rank) continue;
    const text = bounded(firstText(record[name]), charsMax);
    if (text !== '') found.set(key, { text, rank });
  }
  return found;
}

function firstText(value: unknown): string {
  if (!Array.isArray(value)) return scalarText(value);
  for (const item of value) {
    const text = scalarText(item);
    if (text !== '') return text;
  }
  return '';
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function bounded(text: string, charsMax: number): string {
  // PostgreSQL refuses NUL and lone surrogates.
  const sound = cut(text, charsMax).trimEnd().toWellFormed();
  return sound.includes('\0') ? sound.replaceAll('\0', '\uFFFD') : sound;
}

function visitorOf(text: string): string {
  return NO_VISITOR.has(text.toLowerCase()) ? '' : text;
}

function seconds(text: string): number | null {
  const number = text === '' ? Number.NaN : Number(text);
  return number >= 0 && number < Number.POSITIVE_INFINITY ? Math.min(number, TIME_TO_SUBMIT_S_MAX) : null;
}

function campaignOf(found: Found): LeadForm['campaign'] {
  const campaign: Partial<Record<CampaignParam, string>> = {};
  for (const param of CAMPAIGN_PARAMS) {
    const text = found.get(param)?.text;
    if (text !== undefined) campaign[param] = text;
  }
  return campaign;
}

/** As a word, numbered or not; not in Contest, Testa or the surname Tester. */
const SAYS_TEST = /(?<!\p{L})test(?:ing|user|lead)?(?![\p{L}\p{M}])/iu;

/** People who try out a form say so in the name, or before or after the @. */
export function isTestLead({ name, email }: Pick<LeadForm, 'name' | 'email'>): boolean {
  return SAYS_TEST.test(name) || SAYS_TEST.test(email);
}
