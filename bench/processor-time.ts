import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quick } from './conditions.ts';
import { LEAD, setUpForm } from './leads.ts';
import { load, type Posted } from './load.ts';
import { type Service, startService, waitUntil } from './processes.ts';
import { keep, note } from './results.ts';
import { SESSION_START } from './sessions.ts';

/**
 * Processor time per request, including the background work that it causes. Unlike throughput it hardly
 * depends on other load of the machine; the minimum of several rounds counts.
 */

const ROUNDS = quick ? 2 : 5;
const ROUND = { seconds: quick ? 2 : 5, connections: 8 };
const STILL_MS = 1000;
const STILL_SHARE = 0.05;

export async function measureProcessorTime(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'leadtrail-bench-processor-'));
  try {
    const service = await startService(dir);
    await setUpForm(service);
    await measure(service, 'session start', '/track/session/start', SESSION_START);
    await measure(service, 'lead of a new person', '/lead.capture', LEAD);
    await service.stop();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function measure(service: Service, what: string, path: string, posted: Posted): Promise<void> {
  const costs: number[] = [];
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const before = await service.processorSeconds();
    const { requests, failed } = await load(service.url + path, posted, ROUND);
    if (failed > 0) throw new Error(`${failed} of ${requests} requests to ${path} failed.`);
    await settled(service);
    costs.push((((await service.processorSeconds()) - before) / requests) * 1_000_000);
  }
  const [, ...measured] = costs;
  keep(`processor time, ${what}`, measured);
  const text = measured.map((cost) => Math.round(cost)).join(', ');
  note(`processor time, ${what}`, `${Math.round(Math.min(...measured))} µs  (rounds: ${text})`);
}

/** Waits until nothing is queued and the process is nearly idle. */
async function settled(service: Service): Promise<void> {
  await waitUntil(async () => {
    const before = await service.processorSeconds();
    await sleep(STILL_MS);
    const used = (await service.processorSeconds()) - before;
    return used < (STILL_MS / 1000) * STILL_SHARE && (await service.backlog()) === 0;
  });
}
