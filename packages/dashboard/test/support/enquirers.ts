import type { LeadItem } from '@leadtrail/contract/lead-records';
import { call } from '@leadtrail/testing/analytics-calls';
import { assertCaptured, type Fields, sendFromServer } from '@leadtrail/testing/enquiries';
import type { TestService } from '@leadtrail/testing/service';

/** People who have enquired, each identified by e-mail address. */

let phones = 0;

export async function enquire(
  service: TestService,
  name: string,
  sent: Fields = {},
  ip = '198.51.100.8',
): Promise<void> {
  const alias = name.toLowerCase().replaceAll(/\W+/g, '.');
  await assertCaptured(
    sendFromServer(
      service,
      {
        FIRSTNAME: name,
        EMAIL: `${alias}@example.org`,
        PHONE: `98765 ${String(++phones).padStart(5, '0')}`,
        ...sent,
      },
      { ip },
    ),
  );
}

export async function enquireMany(service: TestService, names: readonly string[]): Promise<void> {
  for (const name of names) await enquire(service, name);
}

/** Names: `Guest 01`, `Guest 02` and so on. */
export function guests(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `Guest ${String(index + 1).padStart(2, '0')}`);
}

export async function leadNamed(service: TestService, name: string): Promise<LeadItem> {
  const { leads } = await service.get<{ leads: LeadItem[] }>(
    `/analytics/leads?q=${encodeURIComponent(name)}`,
  );
  const lead = leads.find(({ contact_name }) => contact_name === name);
  if (lead === undefined) throw new Error(`There is no lead ${name}.`);
  return lead;
}

export async function moveTo(service: TestService, name: string, status: string): Promise<void> {
  const { lead_id } = await leadNamed(service, name);
  await call(service, 'PATCH', `/analytics/leads/${lead_id}`, { body: { status } });
}

/** Opens the lead, which marks it as reviewed. */
export async function view(service: TestService, name: string): Promise<void> {
  const { lead_id } = await leadNamed(service, name);
  await service.get(`/analytics/leads/${lead_id}`);
}
