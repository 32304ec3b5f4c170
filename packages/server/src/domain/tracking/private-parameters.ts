import { memoize } from '../../lib/memoize.ts';

/** Redacts secrets and contact data in page addresses: reset links, sign-ins, links in newsletters. */

/** Compared in lower case without punctuation, so `access_token`, `accessToken` and `user[token]` are the same. */
const PRIVATE_NAMES: ReadonlySet<string> = new Set([
  ...[
    'auth',
    'authorization',
    'bearer',
    'code',
    'key',
    'jwt',
    'nonce',
    'otp',
    'pin',
    'tan',
    'ticket',
    'verifier',
  ],
  ...['pass', 'passwd', 'pwd', 'login', 'user', 'sid', 'session', 'sessionid', 'phpsessid', 'jsessionid'],
  ...['sig', 'signature', 'hmac', 'samlrequest', 'samlresponse'],
  ...['mail', 'tel', 'mobile', 'cell', 'whatsapp', 'msisdn', 'fax'],
  ...['birthday', 'birthdate', 'dob', 'ssn', 'iban', 'street', 'streetaddress'],
]);
const PRIVATE_ENDINGS = [
  ...['token', 'password', 'secret', 'apikey', 'accesskey', 'credential', 'credentials', 'authcode'],
  ...['email', 'emailaddress', 'phone', 'phonenumber', 'mobilenumber', 'telephone'],
  ...['username', 'firstname', 'lastname', 'fullname', 'surname'],
];
/**
 * Private under any name: an e-mail address, a phone number with its country code, a JWT. Linear, against
 * ReDoS: a token is matched backwards from its dot, because a hostile text may hold any number of token
 * beginnings.
 */
const PRIVATE_VALUE =
  /[^\s@/?&=:]@[^\s@/?&=]+\.[a-z]{2,}|^\s*[+ ]\d[\d\s()/.-]{6,}$|\.(?<=\beyJ[\w-]{10,}\.)[\w-]{10}/i;

/** Fast path for most values: nothing above matches these characters. */
const PLAIN_VALUE = /^[\w-]*$/;

const MAY_BE_PRIVATE = /[?#@]/;
/** Fast path for most addresses: a page and its campaign. */
const CAMPAIGN_ONLY =
  /^[^?#@]*\?(?:(?:utm_(?:source|medium|campaign|term|content|id)|gclid|fbclid|msclkid)=[\w-]*(?:&|$))+$/;
const USER_INFO = /^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i;
const PARAMETER = /([?#&])([^?#&=]*)=([^#&]*)/g;
const PUNCTUATION = /[^\p{L}\p{N}]/gu;
/** Addresses inside parameters of addresses, as in sign-in redirects. */
const NESTING_MAX = 3;

/** Four times the stored length. */
const LOOKED_AT_CHARS_MAX = 8 * 1024;
const NO_MORE_THAN_HOST = /^([a-z][a-z\d+.-]*:\/\/)[^/?#]*$/i;

/**
 * Private parameters keep their names and lose their values. `more`: names that the operator has added. A
 * very long address is cut.
 */
export function withoutPrivateValues(address: string, more: readonly string[]): string {
  return withoutPrivate(partLookedAt(address), more, 0);
}

/**
 * Cuts a very long address where no private value can be split, as half of one would not be recognised:
 * before the last parameter, or before user name and host if they do not end within the limit. A path may be
 * cut anywhere.
 */
export function partLookedAt(address: string): string {
  if (address.length <= LOOKED_AT_CHARS_MAX) return address;
  const beginning = address.slice(0, LOOKED_AT_CHARS_MAX).toWellFormed();
  const lastStart = Math.max(beginning.lastIndexOf('&'), beginning.lastIndexOf('#'));
  const end = lastStart === -1 ? beginning.indexOf('?') : lastStart;
  return end === -1 ? beginning.replace(NO_MORE_THAN_HOST, '$1') : beginning.slice(0, end);
}

function withoutPrivate(address: string, more: readonly string[], nesting: number): string {
  if (!MAY_BE_PRIVATE.test(address) || (more.length === 0 && CAMPAIGN_ONLY.test(address))) return address;
  const anonymous = address.includes('@') ? address.replace(USER_INFO, '$1') : address;
  return anonymous.replaceAll(PARAMETER, (whole, start: string, name: string, value: string) =>
    isPrivate(name, value, more, nesting) ? `${start}${name}=` : whole,
  );
}

/** Whether the value of a parameter is redacted. */
export function isPrivateParameter(name: string, value: string, more: readonly string[]): boolean {
  return isPrivate(name, value, more, 0);
}

function isPrivate(name: string, encoded: string, more: readonly string[], nesting: number): boolean {
  if (isPrivateName(name)) return true;
  if (more.length > 0 && plainNames(more).has(plainName(decoded(name)))) return true;
  if (PLAIN_VALUE.test(encoded)) return false;
  const value = decoded(encoded);
  return (
    PRIVATE_VALUE.test(value) || (nesting < NESTING_MAX && withoutPrivate(value, more, nesting + 1) !== value)
  );
}

/** Most addresses share the same few names. */
const NAMES_KEPT = 500;
const isPrivateName = memoize(NAMES_KEPT, (name) => {
  const plain = plainName(decoded(name));
  return PRIVATE_NAMES.has(plain) || PRIVATE_ENDINGS.some((ending) => plain.endsWith(ending));
});

/** Keyed by the list: an address may have thousands of parameters, and the settings hundreds of names. */
const plainNamesOf = new WeakMap<readonly string[], ReadonlySet<string>>();

function plainNames(names: readonly string[]): ReadonlySet<string> {
  const known = plainNamesOf.get(names) ?? new Set(names.map(plainName));
  plainNamesOf.set(names, known);
  return known;
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(PUNCTUATION, '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
