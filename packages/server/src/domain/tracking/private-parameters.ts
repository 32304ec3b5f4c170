import { memoize } from '../../lib/memoize.ts';

/** Takes secrets and contact data out of the addresses of pages: reset links, sign-ins, links in newsletters. */

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
 * Whatever the parameter is called: an e-mail address, a phone number with its country code, a signed token. Each looks at
 * a character a bounded number of times: a token is looked for from its dot, for a text may have as many beginnings of one
 * as it likes.
 */
const PRIVATE_VALUE =
  /[^\s@/?&=:]@[^\s@/?&=]+\.[a-z]{2,}|^\s*[+ ]\d[\d\s()/.-]{6,}$|\.(?<=\beyJ[\w-]{10,}\.)[\w-]{10}/i;

/** Most values: nothing in them can be private, whatever it is. */
const PLAIN_VALUE = /^[\w-]*$/;

const MAY_BE_PRIVATE = /[?#@]/;
/** Most addresses: a page and its campaign. */
const CAMPAIGN_ONLY =
  /^[^?#@]*\?(?:(?:utm_(?:source|medium|campaign|term|content|id)|gclid|fbclid|msclkid)=[\w-]*(?:&|$))+$/;
const USER_INFO = /^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i;
const PARAMETER = /([?#&])([^?#&=]*)=([^#&]*)/g;
const PUNCTUATION = /[^\p{L}\p{N}]/gu;
/** An address in the parameter of an address, as sign-ins have them. */
const NESTING_MAX = 3;

/** Four times as long as what is kept of an address. */
const LOOKED_AT_CHARS_MAX = 8 * 1024;
const NO_MORE_THAN_HOST = /^([a-z][a-z\d+.-]*:\/\/)[^/?#]*$/i;

/**
 * Private parameters keep their names and lose their values. `more` are names that the operator has added. Of a very long
 * address only the beginning is left.
 */
export function withoutPrivateValues(address: string, more: readonly string[]): string {
  return withoutPrivate(partLookedAt(address), more, 0);
}

/**
 * What does not fit is left out as a whole, for half of a value does not tell whether it is private: the last parameter, and
 * user name and host where the address does not come to an end of them. Half of a path says no more than a whole one.
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

/** Whether the value of a parameter is not kept. */
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

/** Most addresses have the same few. */
const NAMES_KEPT = 500;
const isPrivateName = memoize(NAMES_KEPT, (name) => {
  const plain = plainName(decoded(name));
  return PRIVATE_NAMES.has(plain) || PRIVATE_ENDINGS.some((ending) => plain.endsWith(ending));
});

/** An address may have thousands of parameters, and the settings hundreds of names. */
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
