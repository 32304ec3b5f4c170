import { INTEGRATION_KEY } from '@leadtrail/testing/enquiries';
import type { Answer, Send } from './connection.ts';
import type { LeadLedger, Person, SentLead } from './lead-ledger.ts';
import type { Random } from './random.ts';

const NEW_PERSON_CHANCE = 0.5;
const SAYS_MORE_CHANCE = 0.5;
const TAKEN = 301;
const COME_BACK = 503;

/** Someone enquires, for the first time or again. */
export async function enquire(send: Send, ledger: LeadLedger, random: Random): Promise<void> {
  const before = random.chance(NEW_PERSON_CHANCE)
    ? undefined
    : ledger.recentPerson(random.between(0, 2 ** 30));
  await submitLead(send, ledger, aLead(ledger, before ?? ledger.newPerson(), random));
}

function aLead(ledger: LeadLedger, person: Person, random: Random): SentLead {
  const known = {
    ...(random.chance(SAYS_MORE_CHANCE) ? { visitor_id: person.visitor_id } : {}),
    ...(random.chance(SAYS_MORE_CHANCE) ? { phone: person.phone } : {}),
  };
  return ledger.send(person, known, `198.51.100.${random.between(1, 250)}`);
}

export async function submitLead(send: Send, ledger: LeadLedger, lead: SentLead): Promise<Answer> {
  const answer = await send('/lead.capture', leadBody(lead), leadHeaders(lead));
  ledger.countAnswer(answer.status);
  if (answer.status === TAKEN) ledger.acknowledge(lead);
  if (answer.status === COME_BACK && !/^\d+$/.test(answer.retryAfter ?? ''))
    throw new Error('A lead was answered 503 without Retry-After.');
  return answer;
}

export function leadBody({ person, visitor_id, phone, marker, ip }: SentLead): Record<string, string> {
  return {
    FIRSTNAME: 'Ada',
    EMAIL: person.email,
    PHONE: phone,
    PROJECT: person.project,
    SOURCE: 'WebSite',
    DOMAIN: 'https://www.example.com',
    CTA_NAME: marker,
    CLIENT_IP: ip,
    __visitor_id: visitor_id,
    __pg_tts: '30',
  };
}

export function leadHeaders({ ip }: SentLead): Record<string, string> {
  return { 'x-api-key': INTEGRATION_KEY, 'x-forwarded-for': ip };
}
