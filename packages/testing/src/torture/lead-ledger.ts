/** Leads that were sent and acknowledged, and what has reached the automation platform, kept outside of the service. */
export type LeadLedger = {
  readonly sent: readonly SentLead[];
  readonly deliveries: readonly Delivery[];
  /** How often each status was answered. */
  readonly answers: ReadonlyMap<number, number>;
  newPerson(): Person;
  /** One of those who enquired most recently. */
  recentPerson(index: number): Person | undefined;
  /** Called before a request is sent: from then on it may have been stored. */
  send(person: Person, known: Partial<Contact>, ip: string): SentLead;
  acknowledge(lead: SentLead): void;
  countAnswer(status: number): void;
  receive(delivery: Delivery): void;
  sums(): LeadSums;
};

/** Nobody else has any of these, and whoever submits always says at least the e-mail address. */
export type Person = Contact & { email: string; project: string };
export type Contact = { visitor_id: string; phone: string };

export type SentLead = Contact & {
  person: Person;
  /** No other submission has it, so a stored one can be traced back to the request that made it. */
  marker: string;
  ip: string;
  acknowledged: boolean;
};

/** A message to the automation platform, by the ids in it. */
export type Delivery = {
  webhookId: string;
  sendPublicId: string;
  leadPublicId: string;
  submissionPublicId: string;
  isFollowUp: boolean;
  /** Whether the platform took it. */
  accepted: boolean;
};

export type LeadSums = {
  leads: { acknowledged: number; sent: number };
  people: number;
  deliveries: { received: number; repeated: number };
};

const PROJECTS = ['Riverside', 'Hill View', 'Harbour'] as const;
/** New follow-ups come from people who are not older than this many people. */
const RECENT_PEOPLE = 100;
const FIRST_PHONE = 919_800_000_000;

export function newLeadLedger(): LeadLedger {
  const sent: SentLead[] = [];
  const people: Person[] = [];
  const deliveries: Delivery[] = [];
  const sends = new Set<string>();
  const answers = new Map<number, number>();
  let acknowledged = 0;

  return {
    sent,
    deliveries,
    answers,
    newPerson() {
      const number = people.length;
      const person = {
        email: `person-${number}@example.org`,
        phone: `+${FIRST_PHONE + number}`,
        visitor_id: `person-${number}`,
        project: PROJECTS[number % PROJECTS.length] as string,
      };
      people.push(person);
      return person;
    },
    recentPerson: (index) => people.at(-1 - (index % Math.min(people.length, RECENT_PEOPLE))),
    send(person, { visitor_id = '', phone = '' }, ip) {
      const lead = { person, visitor_id, phone, ip, marker: `marker-${sent.length}`, acknowledged: false };
      sent.push(lead);
      return lead;
    },
    acknowledge(lead) {
      lead.acknowledged = true;
      acknowledged += 1;
    },
    countAnswer(status) {
      answers.set(status, (answers.get(status) ?? 0) + 1);
    },
    receive(delivery) {
      deliveries.push(delivery);
      sends.add(delivery.webhookId);
    },
    sums: () => ({
      leads: { acknowledged, sent: sent.length },
      people: people.length,
      deliveries: { received: deliveries.length, repeated: deliveries.length - sends.size },
    }),
  };
}
