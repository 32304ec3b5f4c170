import { ID_CHARS_MAX } from '@leadtrail/contract/limits';
import { memoize } from '../../lib/memoize.ts';
import { CAMPAIGN_PARAMS, type CampaignParam } from '../tracking/campaign-params.ts';
import type { Meanings } from './field-meanings.ts';

/** Names of form fields: the specification's and their aliases. */

export const LABEL_CHARS_MAX = 256;
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
type Field = {
  /** The specification's name, case-insensitive. */
  readonly name: string;
  /** In lower-case letters only: `first_name`, `firstName` and `First Name` are the same. */
  readonly aliases?: readonly string[];
  readonly charsMax: number;
};

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
  /** The arrivals that the form script has kept; see form-touches.ts. */
  touches: { name: '__touches', charsMax: TOUCHES_CHARS_MAX },
  honeypot: { name: '__pg_hp', charsMax: LABEL_CHARS_MAX },
  clientIp: { name: 'CLIENT_IP', charsMax: IP_CHARS_MAX },
  clientUserAgent: { name: 'CLIENT_USER_AGENT', charsMax: USER_AGENT_CHARS_MAX },
  /** Set by the form script, the same on every retry. */
  submissionId: { name: '__submission_id', charsMax: ID_CHARS_MAX },
} as const satisfies Record<string, Field>;
export type TextField = keyof typeof TEXT_FIELDS;
export const TEXT_FIELD_KEYS = Object.keys(TEXT_FIELDS) as TextField[];
export type FieldKey = TextField | CampaignParam | 'timeToSubmitS';
export type Spelling = { readonly key: FieldKey; readonly rank: number; readonly charsMax: number };
export const FIELDS: readonly (readonly [FieldKey, Field])[] = [
  ...(Object.entries(TEXT_FIELDS) as [TextField, Field][]),
  ...CAMPAIGN_PARAMS.map((param) => [param, campaignField(param)] as const),
  ['timeToSubmitS', { name: '__pg_tts', charsMax: NUMBER_CHARS_MAX }],
];

/** Many sites have hidden fields of their own for these. */
function campaignField(param: CampaignParam): Field {
  return { name: `__${param}`, aliases: [param.replaceAll('_', '')], charsMax: CAMPAIGN_CHARS_MAX };
}

/** Ranks, best first: mapped in the form's settings, the specification's name, an alias, one in brackets, a hint. */
export const MAPPED = -1;
const AS_SPECIFIED = 0;
const IN_OTHER_CASE = 1;
export const ALIAS = 2;
/** `company[name]` may be the name of something else. */
const IN_BRACKETS = 3;
const HINTED = 4;

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

/** No alias is longer; bounds the work on hostile names. */
const NAME_CHARS_MAX = 64;

export function spellingOf(name: string): Spelling | undefined {
  const canonical = CANONICAL.get(name);
  return canonical !== undefined || name.length > NAME_CHARS_MAX ? canonical : otherSpelling(name);
}

const otherSpelling = memoize(1000, (name): Spelling | undefined => {
  const inOtherCase = LOWER_CASED.get(name.toLowerCase());
  if (inOtherCase !== undefined || isTechnical(name)) return inOtherCase;
  const inner = BRACKETED.exec(name)?.[1];
  return inner === undefined
    ? ALIASES.get(squeezed(name))
    : ranked(ALIASES.get(squeezed(inner)), IN_BRACKETS);
});

/** Mapped names come first, hints last. */
export function spellerOf(meanings: Meanings | undefined): (name: string) => Spelling | undefined {
  return meanings === undefined ? spellingOf : (name) => spellingBy(meanings, name);
}

function spellingBy({ mapped, hinted }: Meanings, name: string): Spelling | undefined {
  const meaning = mapped.get(name);
  if (meaning !== undefined) return ranked(CANONICAL.get(meaning), MAPPED);
  return spellingOf(name) ?? ranked(CANONICAL.get(hinted.get(name) ?? ''), HINTED);
}

/** Undefined for the meaning `custom`. */
function ranked(spelling: Spelling | undefined, rank: number): Spelling | undefined {
  return spelling && { ...spelling, rank };
}

/** `contact[email]`, as form builders and frameworks name their fields. */
const BRACKETED = /^[^[\]]+\[([^[\]]+)\]$/;
const NO_LETTER_OR_DIGIT = /[^\p{L}\p{N}]/gu;

function squeezed(name: string): string {
  return name.normalize('NFD').replaceAll(NO_LETTER_OR_DIGIT, '').toLowerCase();
}

/** Fields that form builders and captchas add for themselves. */
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

export function isTechnical(name: string): boolean {
  return name.startsWith('_') || TECHNICAL.has(name.toLowerCase());
}
