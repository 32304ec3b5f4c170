import {
  type CountryCode,
  getCountryCallingCode,
  type PhoneNumber,
  parseDigits,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/core/es6';
import metadata from 'libphonenumber-js/min/metadata';
import { memoize } from '../../lib/memoize.ts';
import { inOnePiece } from '../../lib/one-piece.ts';
import { cut } from '../tracking/page-address.ts';

/** Normal forms of e-mail addresses and phone numbers, by which people are matched. */

/** The longest address that mail servers accept. Form fields are longer, so no key is a truncated address. */
const EMAIL_KEY_CHARS_MAX = 254;
const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** null: not an e-mail address. */
export function emailKey(email: string): string | null {
  const key = email.trim().toLowerCase();
  return key.length <= EMAIL_KEY_CHARS_MAX && EMAIL.test(key) ? key : null;
}

export type Phone = {
  /** E.164, or the bare digits if it is not a possible number; null when there are too few. */
  key: string | null;
  /** With the dial code that the person gave, in E.164 if it is a possible number; else as typed. */
  international: string;
  /** `+91`, or '' where the person gave none. */
  dialCode: string;
};

const PHONE_CHARS_MAX = 64;
const PHONE_DIGITS_MIN = 5;
const CALLING_CODE_DIGITS_MAX = 3;
/** Forms that prepend a plus sign send `++`. */
const INTERNATIONAL_PREFIX = /^[^\d+]*(?:\+[+\s]*(?:00)?|00)/;
const COUNTRY = /^[A-Z]{2}$/;
const PLAIN = /^[\d+ ()-]*$/;

/** The default country of a national number; `area` is the rest of a code such as `+1-876`. */
type Origin = { callingCode: string; area: string } | { country: CountryCode };

/**
 * A number without + or 00 is read with the chosen dial code. Without one, the person's country is used for
 * the key only and never shown.
 */
export function readPhone(phone: string, dialCode: string, country: string | null): Phone {
  // NFKC turns full-width digits and plus signs into ASCII.
  const text = cut((PLAIN.test(phone) ? phone : phone.normalize('NFKC')).trim(), PHONE_CHARS_MAX);
  const chosen = originOf(dialCode);
  const number = text === '' ? undefined : readNumber(text, chosen ?? countryOrigin(country ?? ''));
  if (number === undefined) return asTyped(text, chosen === undefined ? '' : dialCodeOf(chosen));
  const key = inOnePiece(number.number);
  const isGiven = chosen !== undefined || INTERNATIONAL_PREFIX.test(text);
  return isGiven
    ? { key, international: key, dialCode: `+${number.countryCallingCode}` }
    : { key, international: text, dialCode: '' };
}

/** In international format, or as typed if it is not a possible number. */
export function formatPhone(phone: string, dialCode: string, country: string | null): string {
  const { international } = readPhone(phone, dialCode, country);
  return possible(international)?.formatInternational() ?? international;
}

function readNumber(text: string, origin: Origin | undefined): PhoneNumber | undefined {
  if (INTERNATIONAL_PREFIX.test(text)) return possible(text.replace(INTERNATIONAL_PREFIX, '+'));
  if (origin === undefined) return undefined;
  if ('country' in origin) return possible(text, { defaultCountry: origin.country });
  const { callingCode, area } = origin;
  const withArea = area === '' ? undefined : possible(`+${callingCode}${area}${text}`);
  return withArea ?? possible(text, { defaultCallingCode: callingCode });
}

function possible(
  text: string,
  origin: { defaultCountry?: CountryCode; defaultCallingCode?: string } = {},
): PhoneNumber | undefined {
  const number = parsePhoneNumberFromString(text, origin, metadata);
  return number?.isPossible() ? number : undefined;
}

/** Not a possible number anywhere: compared by its digits. */
function asTyped(text: string, dialCode: string): Phone {
  const digits = parseDigits(text);
  if (digits.length < PHONE_DIGITS_MIN) return { key: null, international: text, dialCode };
  const complete = dialCode === '' || INTERNATIONAL_PREFIX.test(text);
  return { key: digits, international: complete ? text : `${dialCode} ${text}`, dialCode };
}

/** Reads `+91`, `91`, `0091`, `(+91)`, `India +91` and `IN` alike. Memoised: forms offer a few hundred. */
const originOf = memoize(1000, (dialCode): Origin | undefined => {
  const digits = parseDigits(dialCode).replace(/^0+/, '');
  for (let length = 1; length <= CALLING_CODE_DIGITS_MAX; length++) {
    const callingCode = digits.slice(0, length);
    // No calling code is a prefix of another, so the first match is the only one.
    if (isCallingCode(callingCode)) return { callingCode, area: digits.slice(length) };
  }
  return countryOrigin(dialCode.trim().toUpperCase());
});

function isCallingCode(digits: string): boolean {
  return (
    Object.hasOwn(metadata.country_calling_codes, digits) || Object.hasOwn(metadata.nonGeographic, digits)
  );
}

function countryOrigin(country: string): Origin | undefined {
  return isCountry(country) ? { country } : undefined;
}

function isCountry(text: string): text is CountryCode {
  return COUNTRY.test(text) && Object.hasOwn(metadata.countries, text);
}

function dialCodeOf(origin: Origin): string {
  if ('country' in origin) return `+${getCountryCallingCode(origin.country, metadata)}`;
  return `+${origin.callingCode}${origin.area}`;
}
