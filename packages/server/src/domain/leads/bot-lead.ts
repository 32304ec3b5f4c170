import { isbot } from 'isbot';
import { isPrivateIp, type NetworkMatcher } from '../../lib/ip-address.ts';
import { makeLru } from '../../lib/lru.ts';
import { cut } from '../tracking/page-address.ts';

export const BOT_SUSPICION_FROM = 70;

/** No browser's is as long; bounds the work spent on a hostile header. */
const USER_AGENT_CHARS_MAX = 1024;
/** Cubot makes phones. */
const CALLS_ITSELF_BOT = /(?<!\bcu)bots?(?:\b|_)|crawler|spider|headless/i;

/** Most visitors have one of a few hundred agents. */
const knownAgents = makeLru<boolean>({ entriesMax: 1000 });

/**
 * A server integration sends with its own HTTP client, which says nothing about the person; there only programs
 * that call themselves bots count.
 */
export function isBotAgent(userAgent: string, browserForm: boolean): boolean {
  const agent = cut(userAgent.trim(), USER_AGENT_CHARS_MAX);
  if (agent === '') return false;
  return browserForm ? knownAgents.getOrInsertComputed(agent, isbot) : CALLS_ITSELF_BOT.test(agent);
}

export function isBotLead(lead: { honeypot: boolean; suspicionScore: number; botAgent: boolean }): boolean {
  return lead.honeypot || lead.botAgent || lead.suspicionScore >= BOT_SUSPICION_FROM;
}

/** The honeypot must not become a way to lock out a proxy, the house itself or someone who is welcome. */
export function mayAutoBlock(
  ip: string,
  known: { isTrustedProxy: NetworkMatcher; whitelisted: boolean },
): boolean {
  return !known.whitelisted && !isPrivateIp(ip) && !known.isTrustedProxy(ip);
}
