import { isbot } from 'isbot';
import { isPrivateIp } from '../../lib/ip-address.ts';
import { memoize } from '../../lib/memoize.ts';
import { cut } from '../tracking/page-address.ts';

export const BOT_SUSPICION_FROM = 70;

/** Longer than any browser's; bounds the work spent on a hostile header. */
const USER_AGENT_CHARS_MAX = 1024;
/** Cubot is a brand of phones. */
const CALLS_ITSELF_BOT = /(?<!\bcu)bots?(?:\b|_)|crawler|spider|headless/i;

/** Most visitors have one of a few hundred agents. */
const isKnownBot = memoize(1000, isbot);

/** The agent of a server integration is its HTTP client, so only programs that call themselves bots count there. */
export function isBotAgent(userAgent: string, browserForm: boolean): boolean {
  const agent = cut(userAgent.trim(), USER_AGENT_CHARS_MAX);
  if (agent === '') return false;
  return browserForm ? isKnownBot(agent) : CALLS_ITSELF_BOT.test(agent);
}

export function isBotLead(lead: { honeypot: boolean; suspicionScore: number; botAgent: boolean }): boolean {
  return lead.honeypot || lead.botAgent || lead.suspicionScore >= BOT_SUSPICION_FROM;
}

/** Otherwise a filled honeypot could lock out a proxy, the local network or a whitelisted address. */
export function mayAutoBlock(ip: string, known: { isTrustedProxy: boolean; whitelisted: boolean }): boolean {
  return !known.whitelisted && !known.isTrustedProxy && !isPrivateIp(ip);
}
