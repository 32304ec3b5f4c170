import { isBotLead, mayAutoBlock } from './bot-lead.ts';
import type { SenderFacts } from './decide-capture.ts';
import { isDisposableEmail } from './disposable-email.ts';
import type { Enquiry } from './enquiry.ts';
import { suspicion } from './suspicion.ts';

export type Risk = {
  score: number;
  reasons: string;
  /** Stored, but not forwarded. */
  isBotLead: boolean;
  /** Its address goes on the block list. */
  isAutoBlocked: boolean;
};

export type RiskFacts = {
  personRule: SenderFacts['personRule'];
  isTrustedProxy: boolean;
  botLeadDetection: boolean;
  /** Besides the built-in ones. */
  disposableEmailDomains: readonly string[];
  vpnSuspected: boolean;
  /** Within `RECENT_MS`, this one excluded: the larger count of the address and the visitor. */
  recentSubmissions: number;
};

export function assessRisk(enquiry: Enquiry, facts: RiskFacts): Risk {
  const { form, personIp, identities } = enquiry;
  const honeypot = form.honeypot !== '';
  const { score, reasons } = suspicion({
    honeypot,
    timeToSubmitS: form.timeToSubmitS,
    browserForm: enquiry.keyHash === null,
    recentSubmissions: facts.recentSubmissions + 1,
    vpnSuspected: facts.vpnSuspected,
    botAgent: enquiry.isBotAgent,
    disposableEmail: isDisposableEmail(form.email, facts.disposableEmailDomains),
    spamCheck: enquiry.spamCheck,
    unusableClientIp: enquiry.keyHash !== null && form.clientIp !== '' && personIp === null,
    hasContact: identities.some(({ kind }) => kind === 'email' || kind === 'phone'),
  });
  const isBot = isBotLead({ honeypot, suspicionScore: score, botAgent: enquiry.isBotAgent });
  // A server that sends its own address as CLIENT_IP must not get itself blocked.
  const isServers = enquiry.keyHash !== null && personIp === enquiry.callerIp;
  const mayBlock =
    personIp !== null &&
    !isServers &&
    mayAutoBlock(personIp, {
      isTrustedProxy: facts.isTrustedProxy,
      whitelisted: facts.personRule?.list === 'whitelisted',
    });
  return {
    score,
    reasons,
    isBotLead: facts.botLeadDetection && isBot,
    isAutoBlocked: facts.botLeadDetection && honeypot && mayBlock,
  };
}
