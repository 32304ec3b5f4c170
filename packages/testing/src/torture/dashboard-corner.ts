import { isDeepStrictEqual } from 'node:util';
import type { LeadItem } from '@leadtrail/contract/lead-records';
import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import { INTEGRATION_KEY } from '@leadtrail/testing/enquiries';
import type { Random } from './random.ts';

/**
 * What one person at the dashboard has all for themselves, so that they always know what has to be shown: whatever
 * the others do, it is what they did last.
 */
export type Corner = {
  /** Changes something, and says what has to show it. */
  change(): Promise<Check[]>;
};

/** An answer, and what is wrong with it; undefined when nothing is. */
export type Check = { path: string; differs(answer: never): string | undefined };

/** A write that has to succeed. */
export type Write = (
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Record<string, unknown>>;
/** A read whose answer is only looked at. */
export type Look = <T>(path: string) => Promise<T>;

type Person = { email: string; ip: string; status: string; followUps: number };

const PEOPLE_PER_PROJECT = 100;
const ITEMS_MAX = 5;
const ADDRESSES = 250;

export async function openCorner(
  { number, isOnlySettler }: { number: number; isOnlySettler: boolean },
  { write, look, random }: { write: Write; look: Look; random: Random },
): Promise<Corner> {
  let count = 0;
  const another = (what: string) => `${what}-${number}-${++count}`;
  const site = await write('POST', '/analytics/sites', { name: another('site') });
  const integration = await write('POST', '/analytics/integrations', { name: another('server') });

  function listOf(names: string[], limit: number): { add?: true; remove?: string } {
    const isFull = names.length >= limit;
    return isFull || (names.length > 0 && random.chance(0.4)) ? { remove: pick(names) } : { add: true };
  }
  const pick = <T>(items: readonly T[]): T => random.pick(items as [T, ...T[]]);

  const forms = new Map<string, number>();
  const formsPath = `/analytics/forms?site_id=${site.id}`;
  async function changeForms(): Promise<Check[]> {
    const { remove } = listOf([...forms.keys()], ITEMS_MAX);
    if (remove === undefined) {
      const name = another('form');
      const form = await write('POST', '/analytics/forms', { site_id: site.id, name });
      forms.set(name, Number(form.id));
    } else {
      await write('DELETE', `/analytics/forms/${forms.get(remove)}`);
      forms.delete(remove);
    }
    return [shows(formsPath, [...forms.keys()], (answer) => namesOf(answer.forms))];
  }

  async function renameSite(): Promise<Check[]> {
    const name = another('site');
    await write('PATCH', `/analytics/sites/${site.id}`, { name });
    return [shows(`/analytics/sites/${site.id}`, name, (answer) => answer.name)];
  }

  async function changeIntegration(): Promise<Check[]> {
    const changed = { name: another('server'), enabled: random.chance(0.5) };
    await write('PATCH', `/analytics/integrations/${integration.id}`, changed);
    const path = `/analytics/integrations/${integration.id}`;
    return [shows(path, changed, ({ name, enabled }) => ({ name, enabled }))];
  }

  const options = new Map<string, number>();
  async function changeOptions(): Promise<Check[]> {
    const { remove } = listOf([...options.keys()], ITEMS_MAX);
    if (remove === undefined) {
      const value = another('city');
      const option = await write('POST', '/analytics/dropdown-options', { kind: 'city', value });
      options.set(value, Number(option.id));
    } else {
      await write('DELETE', `/analytics/dropdown-options/${options.get(remove)}`);
      options.delete(remove);
    }
    const own = (answer: Shown) =>
      valuesOf(answer.city).filter((value) => value.startsWith(`city-${number}-`));
    return [
      shows('/analytics/dropdown-options?kind=city', [...options.keys()].sort(), (answer) =>
        own(answer).sort(),
      ),
    ];
  }

  const blocked = new Set<string>();
  const prefix = `198.18.${number}.`;
  const listed = (list: string) => (answer: Shown) =>
    (answer[list] as { ip: string }[]).map(({ ip }) => ip).sort();
  async function changeBlocked(): Promise<Check[]> {
    const { remove } = listOf([...blocked], ITEMS_MAX);
    const ip = remove ?? `${prefix}${random.between(1, ADDRESSES)}`;
    if (remove === undefined) await write('POST', '/analytics/blocked-ips', { ip });
    else await write('DELETE', `/analytics/blocked-ips/${ip}`);
    if (remove === undefined) blocked.add(ip);
    else blocked.delete(ip);
    return [shows(`/analytics/blocked-ips?ip=${prefix}`, [...blocked].sort(), listed('blocked_ips'))];
  }

  const whitelisted = new Set<string>();
  const friends = `198.19.${number}.`;
  async function changeWhitelisted(): Promise<Check[]> {
    const { remove } = listOf([...whitelisted], ITEMS_MAX);
    const ip = remove ?? `${friends}${random.between(1, ADDRESSES)}`;
    if (remove === undefined) await write('POST', '/analytics/whitelisted-ips', { ip, usage: 'internal' });
    else await write('DELETE', `/analytics/whitelisted-ips/${ip}`);
    if (remove === undefined) whitelisted.add(ip);
    else whitelisted.delete(ip);
    return [
      shows(`/analytics/whitelisted-ips?ip=${friends}`, [...whitelisted].sort(), listed('whitelisted_ips')),
    ];
  }

  let rejected = 0;
  async function changeRejected(): Promise<Check[]> {
    const path = `/analytics/blocked-ip-leads?ip=${prefix}`;
    if (blocked.size === 0) return changeBlocked();
    if (rejected < ITEMS_MAX) {
      await submit(`${another('rejected')}@example.org`, pick([...blocked]));
      rejected += 1;
    } else {
      const { blocked_ip_leads } = await look<{ blocked_ip_leads: { id: number }[] }>(path);
      await write('POST', '/analytics/blocked-ip-leads/bulk-delete', { ids: [blocked_ip_leads[0]?.id] });
      rejected -= 1;
    }
    return [shows(path, rejected, (answer) => answer.total)];
  }

  // Ends with what no other name goes on with, so that a search finds one of them.
  const aProject = () => `${another('project')}.`;
  let project = aProject();
  let people: Person[] = [];
  let submissions = 0;
  const submit = (email: string, ip: string) =>
    write(
      'POST',
      '/lead.capture',
      {
        FIRSTNAME: 'Ada',
        EMAIL: email,
        PROJECT: project,
        SOURCE: 'WebSite',
        DOMAIN: 'https://www.example.com',
      },
      { 'x-api-key': INTEGRATION_KEY, 'x-forwarded-for': ip },
    );

  async function newLead(): Promise<Check[]> {
    if (people.length >= PEOPLE_PER_PROJECT) await beginProject();
    const person = {
      email: `${another('person')}@example.org`,
      ip: aHome(),
      status: 'new',
      followUps: 0,
    };
    await submit(person.email, person.ip);
    people.push(person);
    submissions += 1;
    return [personShows(person, 1), projectShows(), submissionsShow()];
  }

  async function beginProject(): Promise<void> {
    for (const ip of blockedHomes) await write('DELETE', `/analytics/blocked-ips/${ip}`);
    blockedHomes.clear();
    project = aProject();
    people = [];
    submissions = 0;
  }

  const blockedHomes = new Set<string>();
  function aHome(): string {
    const ip = `198.51.${100 + number}.${random.between(1, ADDRESSES)}`;
    return blockedHomes.has(ip) ? aHome() : ip;
  }

  async function followUp(): Promise<Check[]> {
    const person = people.findLast(({ ip }) => !blockedHomes.has(ip));
    if (person === undefined) return newLead();
    await submit(person.email, person.ip);
    person.followUps += 1;
    submissions += 1;
    return [personShows(person, 1), projectShows(), submissionsShow()];
  }

  async function moveLead(): Promise<Check[]> {
    if (people.length === 0) return newLead();
    const person = pick(people);
    const lead = await leadOf(person);
    person.status = random.pick(LEAD_STATUSES as unknown as [string, ...string[]]);
    await write('PATCH', `/analytics/leads/${lead.lead_id}`, { status: person.status });
    const inStage = people.filter(({ status }) => status === person.status).length;
    return [
      personShows(person, lead.needs_review),
      shows(`/analytics/leads?q=${project}&status=${person.status}`, inStage, (answer) => answer.total),
    ];
  }

  async function viewLead(): Promise<Check[]> {
    if (people.length === 0) return newLead();
    const person = pick(people);
    await look(`/analytics/leads/${(await leadOf(person)).lead_id}`);
    return [personShows(person, 0)];
  }

  async function blockLead(): Promise<Check[]> {
    if (people.length === 0) return newLead();
    const person = pick(people);
    const { needs_review } = await leadOf(person);
    if (blockedHomes.has(person.ip)) {
      await write('DELETE', `/analytics/blocked-ips/${person.ip}`);
      blockedHomes.delete(person.ip);
    } else {
      await write('POST', '/analytics/blocked-ips', { ip: person.ip });
      blockedHomes.add(person.ip);
    }
    return [personShows(person, needs_review)];
  }

  async function leadOf({ email }: Person): Promise<LeadItem> {
    const { leads } = await look<{ leads: LeadItem[] }>(`/analytics/leads?q=${email}`);
    return leads[0] as LeadItem;
  }

  function personShows({ email, ip, status, followUps }: Person, needsReview: number): Check {
    const expected = [[status, followUps, needsReview, Number(blockedHomes.has(ip))]];
    return shows(`/analytics/leads?q=${email}`, expected, (answer) =>
      (answer.leads as LeadItem[]).map((lead) => [
        lead.status,
        lead.follow_ups_count,
        lead.needs_review,
        lead.is_ip_blocked,
      ]),
    );
  }
  const projectShows = () => shows(`/analytics/leads?q=${project}`, people.length, (answer) => answer.total);
  const submissionsShow = () =>
    shows(`/analytics/engine/overview?project=${project}`, submissions, (answer) => answer.total_submissions);

  async function saveSettings(): Promise<Check[]> {
    const teams = [another('Team')];
    await write('PATCH', '/analytics/settings', { internal_teams: teams });
    return [shows('/analytics/settings', teams, (answer) => answer.internal_teams)];
  }

  const changes = [
    renameSite,
    changeForms,
    changeIntegration,
    changeOptions,
    changeBlocked,
    changeWhitelisted,
    changeRejected,
    newLead,
    followUp,
    moveLead,
    viewLead,
    blockLead,
    ...(isOnlySettler ? [saveSettings, saveSettings] : []),
  ];
  return { change: () => pick(changes)() };
}

type Shown = Record<string, unknown>;

function shows(path: string, expected: unknown, shown: (answer: Shown) => unknown): Check {
  return {
    path,
    differs(answer: Shown) {
      const seen = shown(answer);
      return isDeepStrictEqual(seen, expected)
        ? undefined
        : `${path} shows ${JSON.stringify(seen)} instead of ${JSON.stringify(expected)}`;
    },
  };
}

function namesOf(items: unknown): string[] {
  return (items as { name: string }[]).map(({ name }) => name);
}

function valuesOf(items: unknown): string[] {
  return (items as { value: string }[]).map(({ value }) => value);
}
