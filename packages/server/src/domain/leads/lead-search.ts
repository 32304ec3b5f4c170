import { type Phone, readPhone } from './contact.ts';
import type { CustomFields } from './custom-fields.ts';

/** Lead search: words in any order, ignoring case and accents, and phone numbers by their digits. */

type SearchedFields = {
  contact_name: string;
  contact_email: string;
  contact_phone: string;
  project_name: string;
  visitor_id: string;
};

/** What is indexed: one line per field, so that no match spans two fields. The person's fields come first. */
export type SearchLines = { person: readonly string[]; custom: readonly string[] };

export function searchLines(lead: SearchedFields, phone: Phone, custom: CustomFields): SearchLines {
  const { contact_name, contact_email, contact_phone, project_name, visitor_id } = lead;
  const phones = phoneForms(contact_phone, phone);
  const person = [contact_name, contact_email, ...phones, project_name, visitor_id];
  return { person: linesOf(person), custom: linesOf(searchedTexts(custom)) };
}

function linesOf(texts: readonly string[]): string[] {
  return texts.map((text) => folded(inOneLine(text))).filter((line) => line !== '');
}

const CUSTOM_CHARS_MAX = 2048;

/** As many texts as there is room for. */
function searchedTexts(custom: CustomFields): string[] {
  let room = CUSTOM_CHARS_MAX;
  return Object.values(custom).filter((text) => {
    room -= text.length;
    return room >= 0;
  });
}

/** Of a lead with one submission. */
export function searchText({ person, custom }: SearchLines): string {
  return [...person, ...custom].join('\n');
}

/** A longer text takes no more custom fields. */
const TEXT_WITH_CUSTOM_CHARS_MAX = 8192;
/**
 * Room for the names and addresses of some hundred submissions. Nothing else bounds how many are sent for one
 * lead, and each one rewrites and reindexes the whole text.
 */
const TEXT_CHARS_MAX = 65_536;

/** A lead is found by everything that any of its submissions said: each line once, up to a bound. */
export function withSearchText(text: string, { person, custom }: SearchLines): string {
  const lines = new Set(text.split('\n'));
  const fresh: string[] = [];
  let chars = text.length;
  const add = (line: string, charsMax: number) => {
    const charsWith = chars + 1 + line.length;
    if (lines.has(line) || charsWith > charsMax) return;
    lines.add(line);
    fresh.push(line);
    chars = charsWith;
  };
  for (const line of person) add(line, TEXT_CHARS_MAX);
  for (const line of custom) add(line, TEXT_WITH_CUSTOM_CHARS_MAX);
  return [text, ...fresh].join('\n');
}

export function inOneLine(text: string): string {
  return text.includes('\n') ? text.replaceAll('\n', ' ') : text;
}

export const STORED_FIELDS = [
  'contact_name',
  'contact_email',
  'contact_phone',
  'contact_country_code',
  'contact_country_name',
  'project_name',
  'visitor_id',
] as const;
type StoredFields = Record<(typeof STORED_FIELDS)[number], string>;

/** For a stored lead: its phone number has to be parsed again. */
export function storedSearchLines(lead: StoredFields, custom: CustomFields = {}): SearchLines {
  const { contact_phone, contact_country_code, contact_country_name } = lead;
  const phone = readPhone(contact_phone, contact_country_code, contact_country_name || null);
  return searchLines(lead, phone, custom);
}

const PHONE_DIGITS_MIN = 5;

/** As typed, and its digits with the country code if it is known, without duplicates. */
function phoneForms(typed: string, { international, key }: Phone): string[] {
  const forms = [typed];
  for (const form of [international, key ?? '', typed]) {
    const digits = significantDigits(form);
    if (digits.length < PHONE_DIGITS_MIN || forms.some((known) => known.includes(digits))) continue;
    forms.push(form.startsWith('+') ? `+${digits}` : digits);
  }
  return forms;
}

/** Without the trunk or international prefix (0, 00), which people leave out at will. */
function significantDigits(phone: string): string {
  return phone.replaceAll(/\D/g, '').replace(/^0+/, '');
}

/** Alternatives: a lead has to contain all texts of one of them. Empty: every lead matches. */
export type Search = readonly (readonly string[])[];

export function readSearch(text: string): Search {
  const pieces = piecesOf(text);
  if (pieces.length === 0) return [];
  const digits = phoneDigits(text);
  if (digits === null) return [pieces];
  // Leads that contain the piece contain its digits.
  return pieces.some((piece) => piece.includes(digits)) ? [[digits]] : [pieces, [digits]];
}

/** Bounds the size of the statement. */
const WORDS_MAX = 100;

/** Shorter words have no trigram and match nearly everything. */
const WORD_CHARS_MIN = 3;

/** Words, the most selective (longest) first, or the whole phrase if one of them is too short. */
function piecesOf(text: string): string[] {
  const whole = folded(inOneLine(text.trim()));
  const words = new Set(whole.split(/\s+/));
  if ([...words].some((word) => word.length < WORD_CHARS_MIN)) return whole === '' ? [] : [whole];
  return [...words].sort((a, b) => b.length - a.length).slice(0, WORDS_MAX);
}

const PHONE = /^[\p{Nd}\s+()./\u2010-\u2015-]{5,64}$/u;

/** null: cannot be part of a phone number. */
function phoneDigits(text: string): string | null {
  if (!PHONE.test(text)) return null;
  const digits = significantDigits(readPhone(text, '', null).key ?? '');
  return digits.length < PHONE_DIGITS_MIN ? null : digits;
}

const PLAIN = /^[\n -~]*$/;
/** Marks of Latin, Greek and Cyrillic letters. In other scripts they are letters and stay. */
const ACCENTS = /[\u0300-\u036F]/g;
/** Letters that NFD does not decompose. */
const INSEPARABLE: Readonly<Record<string, string>> = {
  æ: 'ae',
  ð: 'd',
  đ: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  œ: 'oe',
  ß: 'ss',
  ŧ: 't',
  þ: 'th',
  ς: 'σ',
  '’': "'",
};
const INSEPARABLES = new RegExp(`[${Object.keys(INSEPARABLE).join('')}]`, 'g');

/** Ignores case and accents. Stays decomposed (NFD), so that folding keeps substrings substrings. */
export function folded(text: string): string {
  const lower = text.toLowerCase();
  if (PLAIN.test(lower)) return lower;
  return lower
    .normalize('NFD')
    .replaceAll(ACCENTS, '')
    .replaceAll(INSEPARABLES, (letter) => INSEPARABLE[letter] as string);
}
