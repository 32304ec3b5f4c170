import type { Person } from './person.ts';

/** Whether JSON of unknown shape, such as a CRM or page event, mentions a person. */
export function mentionsPerson(json: string, person: Person): boolean {
  return [...textsIn(parse(json))].some((text) => mentions(text, person));
}

/** Text that is not JSON is searched as it is. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string' || typeof value === 'number') yield String(value);
  else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) yield* textsIn(inner);
  }
}

function mentions(text: string, { emails, phones, visitors }: Person): boolean {
  const plain = unescaped(text);
  const lower = plain.toLowerCase();
  return (
    emails.some((email) => hasWord(lower, email, ADDRESS_BEFORE, ADDRESS_AFTER)) ||
    visitors.some((id) => isVisitor(plain, id)) ||
    (phones.length > 0 && numbersIn(plain).some((number) => phones.some((phone) => isPhone(number, phone))))
  );
}

/** Page addresses are percent-encoded. */
function unescaped(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Next to one of these, a match is part of another address. */
const ADDRESS_BEFORE = /[\p{L}\p{N}._%+-]$/u;
const ADDRESS_AFTER = /^(?:[\p{L}\p{N}_-]|\.[\p{L}\p{N}])/u;
const ID_BEFORE = /[\p{L}\p{N}_-]$/u;
const ID_AFTER = /^[\p{L}\p{N}_-]/u;

/** Whether the word occurs with neither `before` nor `after` next to it. */
export function hasWord(text: string, word: string, before: RegExp, after: RegExp): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (!before.test(text.slice(Math.max(0, at - 2), at)) && !after.test(text.slice(end, end + 3)))
      return true;
  }
  return false;
}

/** Shorter ids may be ordinary words, so they have to be the whole text. */
const ID_CHARS_MIN = 8;

function isVisitor(text: string, id: string): boolean {
  return text.trim() === id || (id.length >= ID_CHARS_MIN && hasWord(text, id, ID_BEFORE, ID_AFTER));
}

const NUMBER = /\d(?:[\d\s()./\u2010-\u2015-]{3,62}\d)/g;

function numbersIn(text: string): string[] {
  const numbers = text.normalize('NFKC').match(NUMBER) ?? [];
  return numbers.map((number) => number.replaceAll('(0)', '').replaceAll(/\D/g, '').replace(/^0+/, ''));
}

/** Fewer could be the end of an unrelated number. */
const NATIONAL_DIGITS_MIN = 8;
const CALLING_CODE_DIGITS_MAX = 3;

/** With or without the country code: the country is unknown here. */
function isPhone(digits: string, phone: string): boolean {
  const whole = phone.replace('+', '');
  if (digits === whole) return true;
  const callingCodeDigits = whole.length - digits.length;
  return (
    digits.length >= NATIONAL_DIGITS_MIN &&
    callingCodeDigits > 0 &&
    callingCodeDigits <= CALLING_CODE_DIGITS_MAX &&
    whole.endsWith(digits)
  );
}
