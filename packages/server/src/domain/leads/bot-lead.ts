import { isbot } from 'isbot';
import { isPrivateIp } from '../../lib/ip-address.ts';
import { cut } from '../tracking/page-address.ts';

export const BOT_SUSPICION_FROM = 70;

/** No browser's is as long; bounds the work spent on a hostile header. */
const USER_AGENT_CHARS_MAX = 1024;
/** Cubot makes phones. */
const CALLS_ITSELF_BOT = /(?<!\bcu)bots?(?:\b|_)|crawler|spider|headless/i;

/** The agents asked about of late: most visitors have one of a few hundred. */
const known = new Map<string, boolean>();
const KNOWN_AGENTS_MAX = 1000;

function isKnownBot(agent: string): boolean {
  const before = known.get(agent);
  if (before !== undefined) return before;
  if (known.size >= KNOWN_AGENTS_MAX) known.clear();
  const answer = isbot(agent);
  known.set(agent, answer);
  return answer;
}

/**
 * A server integration sends with its own HTTP client, which says nothing about the person; there only programs
 * that call themselves bots count.
 */
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
