import { type Phone, readPhone } from './contact.ts';

/** What leads are found by: words in any order, with or without their accents, and phone numbers by their digits. */

type SearchedFields = {
  contact_name: string;
  contact_email: string;
  contact_phone: string;
  project_name: string;
  visitor_id: string;
};

/** What a search looks through: each field in a line of its own, so that nothing matches across two of them. */
export function leadSearchText(lead: SearchedFields, phone: Phone): string {
  const { contact_name, contact_email, contact_phone, project_name, visitor_id } = lead;
  const phones = phoneForms(contact_phone, phone);
  const fields = [contact_name, contact_email, ...phones, project_name, visitor_id];
  return folded(fields.map(inOneLine).join('\n'));
}

function inOneLine(text: string): string {
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

/** The same of a lead as it is stored, whose phone number has to be read again. */
export function storedSearchText(lead: StoredFields): string {
  const { contact_phone, contact_country_code, contact_country_name } = lead;
  return leadSearchText(lead, readPhone(contact_phone, contact_country_code, contact_country_name || null));
}

/** What is shorter may be anything. */
const PHONE_DIGITS_MIN = 5;

/** As it was typed, and the digits of it, with the country code as far as it is known; none of them twice. */
function phoneForms(typed: string, { international, key }: Phone): string[] {
  const forms = [typed];
  for (const form of [international, key ?? '', typed]) {
    const digits = significantDigits(form);
    if (digits.length < PHONE_DIGITS_MIN || forms.some((known) => known.includes(digits))) continue;
    forms.push(form.startsWith('+') ? `+${digits}` : digits);
  }
  return forms;
}

/** Without the zeros, one or two, that are dialled before an area or a country and written or not. */
function significantDigits(phone: string): string {
  return phone.replaceAll(/\D/g, '').replace(/^0+/, '');
}

/** What leads have to include: all texts of one of these lists. No list: anybody is meant. */
export type Search = readonly (readonly string[])[];

export function readSearch(text: string): Search {
  const pieces = piecesOf(text);
  if (pieces.length === 0) return [];
  const digits = digitsMeant(text);
  if (digits === null) return [pieces];
  // Whoever has the piece has its digits.
  return pieces.some((piece) => piece.includes(digits)) ? [[digits]] : [pieces, [digits]];
}

/** Far more than anybody types, and no more than databases bear. */
const WORDS_MAX = 100;

/** What is shorter is in nearly everything, and means something only together with what stands beside it. */
const WORD_CHARS_MIN = 3;

/** Words, or the whole as it stands where one of them is too short. The longest first: few leads have them. */
function piecesOf(text: string): string[] {
  const whole = folded(inOneLine(text.trim()));
  const words = new Set(whole.split(/\s+/));
  if ([...words].some((word) => word.length < WORD_CHARS_MIN)) return whole === '' ? [] : [whole];
  return [...words].sort((a, b) => b.length - a.length).slice(0, WORDS_MAX);
}

const PHONE = /^[\p{Nd}\s+()./\u2010-\u2015-]{5,64}$/u;

/** Of a search that may be a phone number, or the beginning or end of one. */
function digitsMeant(text: string): string | null {
  if (!PHONE.test(text)) return null;
  const digits = significantDigits(readPhone(text, '', null).key ?? '');
  return digits.length < PHONE_DIGITS_MIN ? null : digits;
}

const PLAIN = /^[\n -~]*$/;
/** Those of Latin, Greek and Cyrillic letters. Other scripts have marks of their own, and these are letters. */
const ACCENTS = /[\u0300-\u036F]/g;
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

/**
 * The same for every way to write a text: capital or not, accented or not. What is part of a text is part of it
 * folded, which is why it stays in its smallest pieces.
 */
function folded(text: string): string {
  const lower = text.toLowerCase();
  if (PLAIN.test(lower)) return lower;
  return lower
    .normalize('NFD')
    .replaceAll(ACCENTS, '')
    .replaceAll(INSEPARABLES, (letter) => INSEPARABLE[letter] as string);
}
