import type { Enquiry } from './enquiry.ts';

/** What a workspace does not want to hear from: e-mail domains, phone numbers and words of the settings. */

export type Unwanted = {
  blockedEmailDomains: readonly string[];
  blockedPhones: readonly string[];
  blockedWords: readonly string[];
};

/** Why the submission is not wanted; '': it is. */
export function unwantedBecause(enquiry: Enquiry, unwanted: Unwanted): string {
  const { blockedEmailDomains, blockedPhones, blockedWords } = unwanted;
  const domain = matchingDomain(enquiry.form.email, blockedEmailDomains);
  if (domain !== undefined) return `e-mail domain ${domain}`;
  const phone = blockedPhones.find((each) => isSamePhone(enquiry, each));
  if (phone !== undefined) return `phone ${phone}`;
  const word = blockedWords.find((each) => says(enquiry, each));
  return word === undefined ? '' : `word ${word}`;
}

/** The one of the domains that an e-mail address belongs to, directly or below. */
export function matchingDomain(email: string, domains: Iterable<string>): string | undefined {
  const host = email
    .slice(email.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase();
  for (const domain of domains) if (host === domain || host.endsWith(`.${domain}`)) return domain;
  return undefined;
}

function isSamePhone({ phone, form }: Enquiry, blocked: string): boolean {
  const digits = digitsOf(blocked);
  return [phone.key ?? '', phone.international, form.phone].some((each) => digitsOf(each) === digits);
}

/** `00` and `+` are the same. */
function digitsOf(phone: string): string {
  return phone.replaceAll(/\D/g, '').replace(/^00/, '');
}

/** As a whole word or several: `casino` is not in `casinoarchitect`. */
function says({ form, customFields }: Enquiry, word: string): boolean {
  const letters = folded(word).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${letters}(?![\\p{L}\\p{N}])`, 'u');
  return [form.name, form.message, ...Object.values(customFields)].some((text) => pattern.test(folded(text)));
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
