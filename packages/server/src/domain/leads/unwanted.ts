import type { Enquiry } from './enquiry.ts';
import { hasWord } from './mentions.ts';

/** E-mail domains, phone numbers and words that the settings reject. */

export type Unwanted = {
  blockedEmailDomains: readonly string[];
  blockedPhones: readonly string[];
  blockedWords: readonly string[];
};

/** Why the settings reject the submission; '': they do not. */
export function unwantedBecause(enquiry: Enquiry, unwanted: Unwanted): string {
  const domain = matchingDomain(enquiry.form.email, unwanted.blockedEmailDomains);
  if (domain !== undefined) return `e-mail domain ${domain}`;
  const phone = blockedPhone(enquiry, unwanted.blockedPhones);
  if (phone !== undefined) return `phone ${phone}`;
  const word = blockedWord(enquiry, unwanted.blockedWords);
  return word === undefined ? '' : `word ${word}`;
}

/** The domain that an e-mail address belongs to, itself or one of its subdomains. */
export function matchingDomain(email: string, domains: Iterable<string>): string | undefined {
  const host = email
    .slice(email.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase();
  for (const domain of domains) if (host === domain || host.endsWith(`.${domain}`)) return domain;
  return undefined;
}

function blockedPhone({ phone, form }: Enquiry, blocked: readonly string[]): string | undefined {
  if (blocked.length === 0) return undefined;
  const own = new Set([phone.key ?? '', phone.international, form.phone].map(digitsOf));
  return readOnce(phonesRead, blocked, digitsOf).find(({ read }) => own.has(read))?.given;
}

/** `00` and `+` are the same. */
function digitsOf(phone: string): string {
  return phone.replaceAll(/\D/g, '').replace(/^00/, '');
}

/** Separates texts; occurs in none of them. */
const BETWEEN = '\0';
const PART = /[\p{L}\p{N}]+/gu;
const PART_BEFORE = /[\p{L}\p{N}]$/u;
const PART_AFTER = /^[\p{L}\p{N}]/u;

/**
 * Matches whole words and phrases: `casino` is not in `casinoarchitect`. The set of the text's parts rules
 * out nearly all blocked words before the text is searched.
 */
function blockedWord({ form, customFields }: Enquiry, blocked: readonly string[]): string | undefined {
  if (blocked.length === 0) return undefined;
  const words = readOnce(wordsRead, blocked, readWord);
  const text = folded([form.name, form.message, ...Object.values(customFields)].join(BETWEEN));
  const parts = new Set(text.match(PART));
  const isSaid = ({ read }: { read: Word }) =>
    read.parts.every((part) => parts.has(part)) && hasWord(text, read.folded, PART_BEFORE, PART_AFTER);
  return words.find(isSaid)?.given;
}

type Word = { folded: string; parts: readonly string[] };

function readWord(word: string): Word {
  const text = folded(word);
  return { folded: text, parts: text.match(PART) ?? [] };
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

type Read<R> = readonly { given: string; read: R }[];
/** Keyed by the list, which is replaced only when the settings change. */
const phonesRead = new WeakMap<readonly string[], Read<string>>();
const wordsRead = new WeakMap<readonly string[], Read<Word>>();

function readOnce<R>(
  known: WeakMap<readonly string[], Read<R>>,
  list: readonly string[],
  read: (given: string) => R,
): Read<R> {
  const before = known.get(list);
  if (before !== undefined) return before;
  const all = list.map((given) => ({ given, read: read(given) }));
  known.set(list, all);
  return all;
}
