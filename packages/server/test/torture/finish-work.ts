import { DAY_MS } from '../../src/domain/utc-time.ts';
import { startService } from '../support/service.ts';
import type { AutomationPlatform } from './automation-platform.ts';
import type { Place } from './place.ts';
import { within } from './service-process.ts';

const FINISH_SECONDS_MAX = 30;

/** Starts the service on what another has left, lets it process all that was accepted, and stops it. */
export async function finishWork({ kind, dataDir, databaseUrl }: Place): Promise<void> {
  const service = await startService(kind, { dataDir, ...(databaseUrl ? { databaseUrl } : {}) });
  await within(FINISH_SECONDS_MAX, 'Processing what was left', service.settled());
  await service.close();
}

/**
 * Starts it a day later and lets it send what was not delivered yet: by then the claims of killed processes have
 * run out, and what was refused is due again.
 */
export async function deliverRest(
  { kind, dataDir, databaseUrl }: Place,
  { env }: AutomationPlatform,
): Promise<void> {
  const service = await startService(kind, {
    dataDir,
    ...(databaseUrl ? { databaseUrl } : {}),
    env,
    overrides: { now: () => Date.now() + DAY_MS },
  });
  await within(FINISH_SECONDS_MAX, 'Sending what was left', service.app.forwarding.settled());
  await service.close();
}
