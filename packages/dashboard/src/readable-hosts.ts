import { toUnicode } from 'punycode/';

/** Domains as people write them: `müller.de`, which is `xn--mller-kva.de` wherever programs compare it. */

const ENCODED = /(?<![\w-])xn--[a-z\d-]+/gi;
/** Letters of other scripts allow homograph attacks. */
const LATIN = /^[\p{Script=Latin}\d-]+$/u;

/** For trusted domains, entered by an admin: decoded in every script. */
export function readableDomain(domain: string): string {
  return domain.replace(ENCODED, decoded);
}

/** For untrusted text: only Latin names are decoded. */
export function readableHosts(text: string): string {
  return text.replace(ENCODED, (label) => {
    const readable = decoded(label);
    return LATIN.test(readable) ? readable : label;
  });
}

function decoded(label: string): string {
  try {
    return toUnicode(label.toLowerCase());
  } catch {
    return label;
  }
}
