import { isDelivered } from '../domain/delivery/retry-delay.ts';
import type { Settings } from '../domain/setup/settings.ts';
import { dateTime, HOUR_MS } from '../lib/utc-time.ts';
import { LEAD_DROUGHT_ENABLED } from '../ports/cache.ts';
import type { Job, JobParts } from './job.ts';

export const isDroughtWatched: NonNullable<Job['isWanted']> = async ({ cache }) =>
  (await cache.get(LEAD_DROUGHT_ENABLED)) ?? false;

/** Alerts when no lead has arrived for too long: once, until the next lead. */
export async function checkLeadDrought(parts: JobParts, now: number): Promise<void> {
  const { store, log } = parts;
  // Reading the settings also refreshes `LEAD_DROUGHT_ENABLED`.
  const { leadDroughtEnabled, leadDroughtHours: hours, leadDroughtTarget } = await parts.settings.latest();
  if (!leadDroughtEnabled) return;
  const isTooLong = (since: number) => now - since >= hours * HOUR_MS;

  const lead = await store.latestLead({ now });
  if (lead !== null && !isTooLong(lead.createdAt)) return;
  // Before the first lead the time counts from the first check.
  const { leadId: lastLeadId, createdAt: since } = lead ?? { leadId: 0, createdAt: now };
  const drought = await store.noteDrought({ lastLeadId, since, now });
  if (!isTooLong(drought.since)) return;

  const { last_lead_id } = drought;
  if (leadDroughtTarget !== null && drought.told !== 'webhook') {
    await sendAlert(parts, leadDroughtTarget, alertOf(lead?.createdAt ?? null, hours), last_lead_id, now);
    await store.recordDroughtTold({ lastLeadId: last_lead_id, told: 'webhook' });
    log.info('lead drought alert sent', { hours });
  } else if (drought.told === null) {
    log.warn('lead drought, but no alert target is set', { hours });
    await store.recordDroughtTold({ lastLeadId: last_lead_id, told: 'log' });
  }
}

type Alert = { text: string; last_lead_at: string | null; hours: number };

function alertOf(lastLeadAt: number | null, hours: number): Alert {
  const last_lead_at = lastLeadAt === null ? null : dateTime(lastLeadAt);
  const latest =
    last_lead_at === null ? 'None has arrived yet.' : `The last one arrived at ${last_lead_at} UTC.`;
  return {
    text: `No new lead for ${hours} ${hours === 1 ? 'hour' : 'hours'}. ${latest}`,
    last_lead_at,
    hours,
  };
}

/** A failed alert is retried by the next run, under the same id. */
async function sendAlert(
  { webhook, signal }: JobParts,
  target: NonNullable<Settings['leadDroughtTarget']>,
  alert: Alert,
  lastLeadId: number,
  now: number,
): Promise<void> {
  const message = { id: `lead-drought-${lastLeadId}`, body: JSON.stringify(alert), at: now };
  const { statusCode, error } = await webhook.send({ ...target, secret: null }, message, signal);
  if (!isDelivered(statusCode)) throw new Error(error ?? 'The alert was not delivered.');
}
