import { ID_CHARS_MAX } from '@leadtrail/contract/limits';
import { memoize } from '../../lib/memoize.ts';
import { DAY_MS, SECOND_MS } from '../../lib/utc-time.ts';
import { CAMPAIGN_PARAMS, type CampaignParam, type CampaignParams } from '../tracking/campaign-params.ts';
import { bounded } from '../tracking/page-address.ts';
import { type Meanings, meaningsOf } from './field-meanings.ts';

/** A form as it was sent: field names to JSON values, without `__proto__`. A repeated field is an array. */
export type FormRecord = Readonly<Record<string, unknown>>;

/** Every text is trimmed, bounded and storable in both databases; a missing field is ''. */
export type LeadForm = Readonly<Record<TextField, string>> & {
  readonly timeToSubmitS: number | null;
  /** Only those that were given. */
  readonly campaign: CampaignParams;
};

const LABEL_CHARS_MAX = 256;
/** 64 before the @ and 255 after it. */
const EMAIL_CHARS_MAX = 320;
const PHONE_CHARS_MAX = 64;
const DIAL_CODE_CHARS_MAX = 16;
const MESSAGE_CHARS_MAX = 16 * 1024;
const ADDRESS_CHARS_MAX = 2048;
const CAMPAIGN_CHARS_MAX = 512;
const TOUCHES_CHARS_MAX = 4 * ADDRESS_CHARS_MAX;
const NUMBER_CHARS_MAX = 32;
const IP_CHARS_MAX = 64;
const USER_AGENT_CHARS_MAX = 1024;
/** Capped, so that forms left open overnight do not distort averages. */
const TIME_TO_SUBMIT_S_MAX = DAY_MS / SECOND_MS;

type Field = {
  /** As the specification has it; upper and lower case are the same. */
  readonly name: string;
  /** What others call it: lower-case letters only, for `first_name`, `firstName` and `First Name` are the same. */
  readonly aliases?: readonly string[];
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

// biome-ignore format: a table
const TEXT_FIELDS = {
  name: {
    name: 'FIRSTNAME',
    aliases: ['name', 'firstname', 'fname', 'givenname', 'forename', 'yourname', 'fullname', 'contactname', 'customername',
      'vorname', 'prenom', 'nombre', 'nome', 'naam', 'voornaam', 'imie', 'isim', 'adsoyad'],
    charsMax: LABEL_CHARS_MAX,
  },
  /** Completes the name. */
  lastName: {
    name: 'LASTNAME',
    aliases: ['lastname', 'lname', 'surname', 'familyname', 'yourlastname', 'nachname', 'familienname', 'nom', 'nomdefamille',
      'apellido', 'apellidos', 'cognome', 'sobrenome', 'achternaam', 'nazwisko', 'soyad'],
    charsMax: LABEL_CHARS_MAX,
  },
  email: {
    name: 'EMAIL',
    aliases: ['email', 'mail', 'emailaddress', 'mailaddress', 'emailid', 'youremail', 'useremail', 'contactemail',
      'emailadresse', 'mailadresse', 'courriel', 'adresseemail', 'correo', 'correoelectronico', 'emailadres', 'eposta'],
    charsMax: EMAIL_CHARS_MAX,
  },
  phone: {
    name: 'PHONE',
    aliases: ['tel', 'telephone', 'phonenumber', 'phoneno', 'telephonenumber', 'mobile', 'mobilenumber', 'mobileno',
      'mobilephone', 'cell', 'cellphone', 'yourphone', 'yourtel', 'contactphone', 'contactnumber', 'contactno', 'whatsapp',
      'whatsappnumber', 'telefon', 'telefonnummer', 'mobil', 'handy', 'handynummer', 'mobilnummer', 'rufnummer', 'portable',
      'telefono', 'movil', 'cellulare', 'telefone', 'celular', 'telefoon', 'telefoonnummer', 'numertelefonu'],
    charsMax: PHONE_CHARS_MAX,
  },
  dialCode: {
    name: 'COUNTRYCODE',
    aliases: ['countrycode', 'dialcode', 'callingcode', 'phonecountrycode'],
    charsMax: DIAL_CODE_CHARS_MAX,
  },
  project: { name: 'PROJECT', aliases: ['projectname'], charsMax: LABEL_CHARS_MAX },
  location: { name: 'LOCATION', charsMax: LABEL_CHARS_MAX },
  team: { name: 'TEAM', charsMax: LABEL_CHARS_MAX },
  domain: { name: 'DOMAIN', charsMax: ADDRESS_CHARS_MAX },
  source: { name: 'SOURCE', aliases: ['leadsource'], charsMax: LABEL_CHARS_MAX },
  keyword: { name: 'KEYWORD', charsMax: LABEL_CHARS_MAX },
  message: {
    name: 'USER_MESSAGE',
    aliases: ['usermessage', 'message', 'yourmessage', 'comment', 'comments', 'enquiry', 'inquiry', 'nachricht',
      'ihrenachricht', 'mitteilung', 'anfrage', 'bemerkung', 'bemerkungen', 'mensaje', 'messaggio', 'mensagem', 'bericht',
      'wiadomosc', 'mesaj'],
    charsMax: MESSAGE_CHARS_MAX,
  },
  pageUrl: { name: 'PAGE_URL', aliases: ['pageurl'], charsMax: ADDRESS_CHARS_MAX },
  referedBy: { name: 'refered_by', charsMax: ADDRESS_CHARS_MAX },
  ctaName: { name: 'CTA_NAME', aliases: ['ctaname'], charsMax: LABEL_CHARS_MAX },
  siteKey: { name: 'siteKey', aliases: ['sitekey'], charsMax: ID_CHARS_MAX },
  formId: { name: 'formId', aliases: ['formid'], charsMax: ID_CHARS_MAX },
  visitorId: { name: '__visitor_id', charsMax: ID_CHARS_MAX },
  /** What the form script remembers of how the person came; see form-touches.ts. */
  touches: { name: '__touches', charsMax: TOUCHES_CHARS_MAX },
  honeypot: { name: '__pg_hp', charsMax: LABEL_CHARS_MAX },
  clientIp: { name: 'CLIENT_IP', charsMax: IP_CHARS_MAX },
  clientUserAgent: { name: 'CLIENT_USER_AGENT', charsMax: USER_AGENT_CHARS_MAX },
  /** Of the form script: the same each time it sends a form again. */
  submissionId: { name: '__submission_id', charsMax: ID_CHARS_MAX },
} as const satisfies Record<string, Field>;
type TextField = keyof typeof TEXT_FIELDS;
const TEXT_FIELD_KEYS = Object.keys(TEXT_FIELDS) as TextField[];
/** Copied rather than built from entries, which takes several times as long. */
const NO_TEXTS = Object.fromEntries(TEXT_FIELD_KEYS.map((key) => [key, ''])) as Record<TextField, string>;

type FieldKey = TextField | CampaignParam | 'timeToSubmitS';
type Spelling = { readonly key: FieldKey; readonly rank: number; readonly charsMax: number };
type FoundField = { readonly name: string; readonly text: string; readonly rank: number };
type Found = ReadonlyMap<FieldKey, FoundField>;

const FIELDS: readonly (readonly [FieldKey, Field])[] = [
  ...(Object.entries(TEXT_FIELDS) as [TextField, Field][]),
  ...CAMPAIGN_PARAMS.map((param) => [param, campaignField(param)] as const),
  ['timeToSubmitS', { name: '__pg_tts', charsMax: NUMBER_CHARS_MAX }],
];

/** Many sites have hidden fields of their own for these. */
function campaignField(param: CampaignParam): Field {
  return { name: `__${param}`, aliases: [param.replaceAll('_', '')], charsMax: CAMPAIGN_CHARS_MAX };
}

/** What was set for the form comes first. The specification's own name wins over an alias, a guess comes last. */
const MAPPED = -1;
const AS_SPECIFIED = 0;
const IN_OTHER_CASE = 1;
const ALIAS = 2;
const HINTED = 3;

/** Most forms use the canonical names, which need no lower-casing. */
const CANONICAL = spellings(AS_SPECIFIED, ({ name }) => [name]);
const LOWER_CASED = spellings(IN_OTHER_CASE, ({ name }) => [name.toLowerCase()]);
const ALIASES = spellings(ALIAS, ({ aliases = [] }) => aliases);

function spellings(rank: number, namesOf: (field: Field) => readonly string[]) {
  return new Map<string, Spelling>(
    FIELDS.flatMap(([key, field]) =>
      namesOf(field).map((name) => [name, { key, rank, charsMax: field.charsMax }] as const),
    ),
  );
}

/** A longer name is none of these, so it is not looked at. */
const NAME_CHARS_MAX = 64;

function spellingOf(name: string): Spelling | undefined {
  const canonical = CANONICAL.get(name);
  return canonical !== undefined || name.length > NAME_CHARS_MAX ? canonical : otherSpelling(name);
}

const otherSpelling = memoize(1000, (name): Spelling | undefined => {
  const inOtherCase = LOWER_CASED.get(name.toLowerCase());
  return inOtherCase !== undefined || isTechnical(name) ? inOtherCase : ALIASES.get(squeezed(name));
});

/** How the names of this form are read. */
function speller(record: FormRecord): (name: string) => Spelling | undefined {
  const meanings = meaningsOf(record);
  return meanings === undefined ? spellingOf : (name) => spellingBy(meanings, name);
}

function spellingBy({ mapped, hinted }: Meanings, name: string): Spelling | undefined {
  const meaning = mapped.get(name);
  if (meaning !== undefined) return ranked(CANONICAL.get(meaning), MAPPED);
  return spellingOf(name) ?? ranked(CANONICAL.get(hinted.get(name) ?? ''), HINTED);
}

/** `custom` is none of the fields. */
function ranked(spelling: Spelling | undefined, rank: number): Spelling | undefined {
  return spelling && { ...spelling, rank };
}

/** `contact[email]`, as form builders and frameworks name their fields. */
const IN_BRACKETS = /^[^[\]]+\[([^[\]]+)\]$/;
const NO_LETTER_OR_DIGIT = /[^\p{L}\p{N}]/gu;

function squeezed(name: string): string {
  const inner = IN_BRACKETS.exec(name)?.[1] ?? name;
  return inner.normalize('NFD').replaceAll(NO_LETTER_OR_DIGIT, '').toLowerCase();
}

/** What form builders and captchas add for themselves. */
const TECHNICAL: ReadonlySet<string> = new Set([
  'altcha',
  'authenticity_token',
  'cf-turnstile-response',
  'csrf_token',
  'csrfmiddlewaretoken',
  'frc-captcha-solution',
  'g-recaptcha-response',
  'h-captcha-response',
  'utf8',
]);

function isTechnical(name: string): boolean {
  return name.startsWith('_') || TECHNICAL.has(name.toLowerCase());
}

export function readLeadForm(record: FormRecord): LeadForm {
  const found = findFields(record);
  const texts = { ...NO_TEXTS };
  for (const key of TEXT_FIELD_KEYS) texts[key] = found.get(key)?.text ?? '';
  return {
    ...texts,
    name: fullName(texts.name, texts.lastName),
    visitorId: visitorOf(texts.visitorId),
    timeToSubmitS: seconds(found.get('timeToSubmitS')?.text ?? ''),
    campaign: campaignOf(found),
  };
}

/** A form may ask for the whole name and for the last name again. */
function fullName(name: string, lastName: string): string {
  if (name === '' || lastName === '') return name || lastName;
  if (name.toLowerCase().endsWith(lastName.toLowerCase())) return name;
  return bounded(`${name} ${lastName}`, LABEL_CHARS_MAX);
}

/** Where a page stands in a form; what people type themselves stays as they typed it. */
const ADDRESS_FIELDS: ReadonlySet<FieldKey> = new Set<FieldKey>(['pageUrl', 'referedBy']);

/** The same form with the addresses of its pages as they may be kept. */
export function withAddresses(record: FormRecord, kept: (address: string) => string): FormRecord {
  const addresses = Object.keys(record).filter((name) => {
    const spelling = spellingOf(name);
    return spelling !== undefined && ADDRESS_FIELDS.has(spelling.key);
  });
  if (addresses.length === 0) return record;
  const changed: Record<string, unknown> = { ...record };
  for (const name of addresses) {
    const value = record[name];
    changed[name] = Array.isArray(value) ? value.map((each) => keptText(each, kept)) : keptText(value, kept);
  }
  return changed;
}

function keptText(value: unknown, kept: (address: string) => string): unknown {
  return typeof value === 'string' ? kept(value) : value;
}

/** Of several spellings of a field the best-ranked counts, of equals the first. */
function findFields(record: FormRecord): Found {
  const found = new Map<FieldKey, FoundField>();
  const spell = speller(record);
  for (const name of Object.keys(record)) {
    const spelling = spell(name);
    if (spelling === undefined) continue;
    const { key, rank, charsMax } = spelling;
    const other = found.get(key);
    if (other !== undefined && other.rank <= rank) continue;
    const text = bounded(firstText(record[name]), charsMax);
    if (text !== '') found.set(key, { name, text, rank });
  }
  return found;
}

/** What is none of the fields above: those of the form itself. A further alias of one that is known is kept, too. */
export function unknownFields(record: FormRecord): string[] {
  const found = findFields(record);
  const spell = speller(record);
  return Object.keys(record).filter((name) => {
    const spelling = spell(name);
    if (spelling === undefined) return !isTechnical(name);
    const used = found.get(spelling.key);
    return (
      (spelling.rank >= ALIAS || spelling.rank === MAPPED) &&
      used !== undefined &&
      used.name !== name &&
      used.text !== firstText(record[name])
    );
  });
}

/** What each field of a form was read as, by the specification's names; those that were not are missing. */
export function readFields(record: FormRecord): Map<string, string> {
  return new Map(
    [...findFields(record)].map(([key, { name }]) => [
      name,
      FIELDS.find(([each]) => each === key)?.[1].name ?? '',
    ]),
  );
}

/** The site and form that it names. */
export function formKeysOf(record: FormRecord): { siteKey: string; formId: string } {
  const found = findFields(record);
  return { siteKey: found.get('siteKey')?.text ?? '', formId: found.get('formId')?.text ?? '' };
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

function visitorOf(text: string): string {
  return NO_VISITOR.has(text.toLowerCase()) ? '' : text;
}

function seconds(text: string): number | null {
  const number = text === '' ? Number.NaN : Number(text);
  return number >= 0 && number < Number.POSITIVE_INFINITY ? Math.min(number, TIME_TO_SUBMIT_S_MAX) : null;
}

function campaignOf(found: Found): CampaignParams {
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
