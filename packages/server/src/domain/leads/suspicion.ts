import { MINUTE_MS } from '../../lib/utc-time.ts';

/** How far back submissions from the same address or visitor are counted. */
export const RECENT_MS = 10 * MINUTE_MS;
/** Up to this many are normal: one person asking about several projects. */
export const RECENT_SUBMISSIONS_MAX = 3;

/**
 * Of the form's spam check. `refused`: failed, and the form refuses failures. `unavailable`: the provider did
 * not answer.
 */
export type SpamCheckOutcome = 'passed' | 'failed' | 'refused' | 'unavailable';

export type SuspicionSigns = {
  honeypot: boolean;
  timeToSubmitS: number | null;
  /** Sent by a form in a browser rather than by a server. */
  browserForm: boolean;
  /** Within `RECENT_MS`, this one included: the larger count of the address and the visitor. */
  recentSubmissions: number;
  vpnSuspected: boolean;
  botAgent: boolean;
  hasContact: boolean;
  disposableEmail?: boolean;
  spamCheck?: SpamCheckOutcome | undefined;
  /** A server sent a CLIENT_IP that is not an address. */
  unusableClientIp?: boolean;
};
export type Suspicion = { score: number; reasons: string };

type Rule = { readonly points: number; readonly reason: string };

const AT_ONCE_BELOW_S = 2;
const HASTY_BELOW_S = 5;

const HONEYPOT: Rule = { points: 100, reason: 'honeypot filled' };
const AT_ONCE: Rule = { points: 40, reason: `submitted in under ${AT_ONCE_BELOW_S} seconds` };
const HASTY: Rule = { points: 20, reason: `submitted in under ${HASTY_BELOW_S} seconds` };
const NO_TIME: Rule = { points: 10, reason: 'time to submit missing' };
const FREQUENT: Rule = {
  points: 30,
  reason: `more than ${RECENT_SUBMISSIONS_MAX} submissions in ${RECENT_MS / MINUTE_MS} minutes`,
};
const VPN: Rule = { points: 15, reason: 'VPN suspected' };
const BOT_AGENT: Rule = { points: 40, reason: 'bot user agent' };
const NO_CONTACT: Rule = { points: 30, reason: 'no contact details' };
const DISPOSABLE_EMAIL: Rule = { points: 30, reason: 'disposable e-mail address' };
const SPAM_CHECK_FAILED: Rule = { points: 40, reason: 'spam check failed' };
const SPAM_CHECK_UNAVAILABLE: Rule = { points: 5, reason: 'spam check not available' };
const UNUSABLE_CLIENT_IP: Rule = { points: 0, reason: 'CLIENT_IP is not an address' };

const SCORE_MAX = 100;

/** How likely a lead is spam, from 0 to 100, and why. */
export function suspicion(signs: SuspicionSigns): Suspicion {
  const found: Rule[] = [];
  if (signs.honeypot) found.push(HONEYPOT);
  const time = timeRule(signs);
  if (time !== undefined) found.push(time);
  if (signs.recentSubmissions > RECENT_SUBMISSIONS_MAX) found.push(FREQUENT);
  if (signs.vpnSuspected) found.push(VPN);
  if (signs.botAgent) found.push(BOT_AGENT);
  if (!signs.hasContact) found.push(NO_CONTACT);
  if (signs.disposableEmail) found.push(DISPOSABLE_EMAIL);
  // `refused` as well: a lead from the lead log was accepted already.
  if (signs.spamCheck === 'failed' || signs.spamCheck === 'refused') found.push(SPAM_CHECK_FAILED);
  if (signs.spamCheck === 'unavailable') found.push(SPAM_CHECK_UNAVAILABLE);
  if (signs.unusableClientIp) found.push(UNUSABLE_CLIENT_IP);
  const points = found.reduce((sum, rule) => sum + rule.points, 0);
  return { score: Math.min(points, SCORE_MAX), reasons: found.map(({ reason }) => reason).join(', ') };
}

/** The form script always sends the time; server integrations may not know it. */
function timeRule({ timeToSubmitS, browserForm }: SuspicionSigns): Rule | undefined {
  if (timeToSubmitS === null) return browserForm ? NO_TIME : undefined;
  if (timeToSubmitS < AT_ONCE_BELOW_S) return AT_ONCE;
  return timeToSubmitS < HASTY_BELOW_S ? HASTY : undefined;
}
