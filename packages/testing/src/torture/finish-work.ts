import { type ServiceOptions, startService, type TestService } from '@leadtrail/testing/service';
import { DAY_MS } from '../../../server/src/lib/utc-time.ts';
import type { AutomationPlatform } from './automation-platform.ts';
import type { Place } from './place.ts';
import { within } from './service-process.ts';

/** Starts the service on what another has left, lets it process all that was accepted, and stops it. */
export function finishWork(place: Place): Promise<void> {
  return runOnce(place, {}, (service) => service.settled());
}

/** Takes in again what processes of an earlier version have written, as the job does for a day after an upgrade. */
export function renewLeads(place: Place): Promise<void> {
  return runOnce(place, {}, async ({ app }) => void (await app.schedule.run('renew-leads-after-migration')));
}

/**
 * Starts it a day later and lets it send what was not delivered yet: by then the claims of killed processes have
 * run out, and what was refused is due again.
 */
export function deliverRest(place: Place, { env }: AutomationPlatform): Promise<void> {
  const aDayLater = { now: () => Date.now() + DAY_MS };
  return runOnce(place, { env, overrides: aDayLater }, ({ app }) => app.forwarding.settled());
}

function runOnce(
  { kind, dataDir, databaseUrl }: Place,
  options: ServiceOptions,
  work: (service: TestService) => Promise<void>,
): Promise<void> {
  async function run(): Promise<void> {
    const service = await startService(kind, {
      dataDir,
      ...(databaseUrl ? { databaseUrl } : {}),
      ...options,
    });
    // Left open, it would keep the test process from ending.
    await work(service).finally(() => service.close());
  }
  return within('What was left', run());
}
