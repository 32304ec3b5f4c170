import { matchingDomain } from './unwanted.ts';

/** The most used providers of disposable addresses; a setting adds others. */
// biome-ignore format: a table
const DOMAINS: ReadonlySet<string> = new Set([
  '10minutemail.com', '10minutemail.net', '20minutemail.com', '33mail.com', 'anonaddy.me', 'burnermail.io', 'byom.de',
  'cock.li', 'crazymailing.com', 'deadaddress.com', 'discard.email', 'discardmail.com', 'discardmail.de', 'disposable.com',
  'dispostable.com', 'dropmail.me', 'emailfake.com', 'emailondeck.com', 'emailsensei.com', 'emailtemporario.com.br',
  'fakeinbox.com', 'fakemail.net', 'fakemailgenerator.com', 'filzmail.com', 'getairmail.com', 'getnada.com', 'grr.la',
  'guerrillamail.biz', 'guerrillamail.com', 'guerrillamail.de', 'guerrillamail.info', 'guerrillamail.net',
  'guerrillamail.org', 'guerrillamailblock.com', 'harakirimail.com', 'inboxbear.com', 'inboxkitten.com', 'incognitomail.org',
  'jetable.org', 'kurzepost.de', 'linshiyouxiang.net', 'mail-temp.com', 'mail-temporaire.fr', 'mail.tm', 'mail7.io',
  'mailcatch.com', 'maildrop.cc', 'mailexpire.com', 'mailforspam.com', 'mailinator.com', 'mailinator.net', 'mailnesia.com',
  'mailnull.com', 'mailpoof.com', 'mailsac.com', 'mailtemp.info', 'meltmail.com', 'minuteinbox.com', 'mintemail.com',
  'moakt.com', 'mohmal.com', 'muellmail.com', 'mvrht.com', 'mytemp.email', 'mytrashmail.com', 'nada.email', 'nowmymail.com',
  'objectmail.com', 'one-time.email', 'owlymail.com', 'pokemail.net', 'sharklasers.com', 'shieldemail.com', 'smailpro.com',
  'spam4.me', 'spambog.com', 'spambox.us', 'spamfree24.org', 'spamgourmet.com', 'spamex.com', 'spoofmail.de', 'superrito.com',
  'tempail.com', 'tempemail.co', 'tempinbox.com', 'tempmail.com', 'tempmail.dev', 'tempmail.io', 'tempmail.ninja',
  'tempmail.plus', 'tempmailaddress.com', 'tempmailo.com', 'tempomail.fr', 'temporary-mail.net', 'temp-mail.io',
  'temp-mail.org', 'tempr.email', 'throwam.com', 'throwawaymail.com', 'tmail.ws', 'tmailor.com', 'tmpmail.net', 'tmpmail.org',
  'trash-mail.com', 'trash-mail.de', 'trashmail.com', 'trashmail.de', 'trashmail.me', 'trashmail.net', 'trashmail.ws',
  'trbvm.com', 'vomoto.com', 'wegwerfemail.de', 'wegwerfmail.de', 'wegwerfmail.net', 'wegwerfmail.org', 'yopmail.com',
  'yopmail.fr', 'yopmail.net', 'zetmail.com',
]);

export function isDisposableEmail(email: string, more: readonly string[]): boolean {
  return email !== '' && (isKnown(email) || matchingDomain(email, more) !== undefined);
}

/** Providers use subdomains, too. */
function isKnown(email: string): boolean {
  let domain = email
    .slice(email.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase();
  while (!DOMAINS.has(domain)) {
    const dot = domain.indexOf('.');
    if (dot === -1) return false;
    domain = domain.slice(dot + 1);
  }
  return true;
}
