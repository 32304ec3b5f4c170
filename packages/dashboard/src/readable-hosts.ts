import { toUnicode } from 'punycode/';

/** Domains as people write them: `müller.de`, which is `xn--mller-kva.de` wherever programs compare it. */

const ENCODED = /(?<![\w-])xn--[a-z\d-]+/gi;
/** Letters of other scripts can make a name look like one that is well known. */
const LATIN = /^[\p{Script=Latin}\d-]+$/u;

/** A domain that somebody has entered here. */
export function readableDomain(domain: string): string {
  return domain.replace(ENCODED, decoded);
}

/** A text with a domain that anybody may have sent. */
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
