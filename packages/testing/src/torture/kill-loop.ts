import { setTimeout as sleep } from 'node:timers/promises';
import { type AutomationPlatform, startAutomationPlatform } from './automation-platform.ts';
import { deliverRest } from './finish-work.ts';
import { type Ledger, type LedgerSums, newLedger } from './ledger.ts';
import { type Load, startLoad } from './load.ts';
import type { Place } from './place.ts';
import { type Random, seeded } from './random.ts';
import { getText, inboxEmpty, startServiceProcess, until, within } from './service-process.ts';
import { differences } from './verify.ts';

export type KillLoopOptions = {
  place: Place;
  cycles: number;
  seed: number;
  /** After so many cycles everything is compared, and after the last. */
  compareEvery?: number;
  onCycle?: (progress: KillLoopResult) => void;
};

export type KillLoopResult = {
  cycles: number;
  killsDuringStart: number;
  sums: LedgerSums;
  /** Empty when the service kept what it acknowledged. */
  differences: string[];
};

const LEADS_SHARE = 0.3;
const REFUSED_SHARE = 0.05;
/** How long a start takes is learned from the last one. */
const START_MS_GUESSED = 800;

/**
 * Kills the service at random moments under load, starts it again on what it left behind and compares
 * that with the ledger. Ends at the first difference.
 */
export async function runKillLoop(options: KillLoopOptions): Promise<KillLoopResult> {
  const { place, cycles, seed, compareEvery = 20 } = options;
  const random = seeded(seed);
  const ledger = newLedger();
  const platform = await startAutomationPlatform(ledger.leads, random.fork());
  const progress = { startMs: START_MS_GUESSED, killsDuringStart: 0 };
  const result = (cycle: number, found: string[]): KillLoopResult => ({
    cycles: cycle,
    killsDuringStart: progress.killsDuringStart,
    sums: ledger.sums(),
    differences: found,
  });

  try {
    for (let cycle = 1; cycle <= cycles; cycle += 1) {
      platform.refuse(REFUSED_SHARE);
      const found = await runCycle(place, platform, ledger, aPlan(random, progress.startMs), progress);
      found.push(...unexpectedAnswers(ledger));
      if (found.length === 0 && (cycle % compareEvery === 0 || cycle === cycles))
        found.push(...(await compareAll(place, platform, ledger)));
      options.onCycle?.(result(cycle, found));
      if (found.length > 0) return result(cycle, found);
    }
    return result(cycles, []);
  } finally {
    await platform.close();
  }
}

type Plan = {
  random: Random;
  connections: number;
  pauseMs: number;
  /** Compare the totals before the load begins: everything of the cycles before must be in them. */
  compareFirst: boolean;
  /** From the start of the process, from the beginning of the load, or from its first acknowledged lead. */
  kill: { during: 'start' | 'load' | 'leads'; afterMs: number };
};

function aPlan(random: Random, startMs: number): Plan {
  const during = random.chance(0.35) ? 'start' : random.pick(['load', 'leads', 'leads'] as const);
  return {
    random: random.fork(),
    connections: random.between(1, 48),
    pauseMs: random.pick([0, 0, 1, 5]),
    compareFirst: random.chance(0.4),
    kill: { during, afterMs: random.between(0, during === 'start' ? Math.round(startMs * 1.1) : 800) },
  };
}

async function runCycle(
  place: Place,
  platform: AutomationPlatform,
  ledger: Ledger,
  plan: Plan,
  progress: { startMs: number; killsDuringStart: number },
): Promise<string[]> {
  const startedAt = performance.now();
  const service = startServiceProcess(place, platform);
  let load: Load | undefined;
  const found: string[] = [];

  const underLoad = service.listening.then(async (port) => {
    progress.startMs = performance.now() - startedAt;
    if (plan.kill.during !== 'start' && plan.compareFirst) found.push(...(await totalsOff(port, ledger)));
    load = startLoad({ port, ledger, leads: LEADS_SHARE, ...plan });
  });
  if (plan.kill.during !== 'start') await within('The start', underLoad);
  const leadsBefore = ledger.sums().leads.acknowledged;
  if (plan.kill.during === 'leads')
    await until('A lead', () => ledger.sums().leads.acknowledged > leadsBefore);
  await sleep(plan.kill.afterMs);

  if (service.process.exitCode !== null) {
    return [`The service ended by itself with code ${service.process.exitCode}:\n${service.output()}`];
  }
  service.kill('SIGKILL');
  await service.exited;
  await underLoad.catch(() => undefined);
  if (load === undefined) progress.killsDuringStart += 1;
  await load?.ended;
  return found;
}

/** Cheap, over HTTP: the totals lie between what was acknowledged and what was sent. */
async function totalsOff(port: number, ledger: Ledger): Promise<string[]> {
  await inboxEmpty(port);
  const overview = JSON.parse(await getText(port, '/analytics/overview'));
  const { sessions, events } = ledger.sums();
  return [
    ...outside('total_sessions', overview.total_sessions, sessions),
    ...outside('total_events', overview.total_events - overview.total_sessions, events),
  ];
}

function outside(name: string, figure: number, range: { acknowledged: number; sent: number }): string[] {
  if (figure >= range.acknowledged && figure <= range.sent) return [];
  return [`${name} is ${figure}; ${range.acknowledged} were acknowledged and ${range.sent} sent.`];
}

/** A service that has just started has nothing to refuse. */
export function unexpectedAnswers(ledger: Ledger): string[] {
  return [...ledger.answers, ...ledger.leads.answers]
    .filter(([status]) => ![200, 202, 301].includes(status))
    .map(([status, times]) => `The service answered ${status} ${times} times.`);
}

/** Lets the service finish its work, stops it and looks at every row. */
export async function compareAll(
  place: Place,
  platform: AutomationPlatform,
  ledger: Ledger,
): Promise<string[]> {
  platform.refuse(0);
  const service = startServiceProcess(place, platform);
  const port = await within('The start', service.listening);
  const found = await totalsOff(port, ledger);
  service.kill('SIGTERM');
  const { code } = await within('The stop', service.exited);
  if (code !== 0) found.push(`The service stopped with code ${code}:\n${service.output()}`);
  await deliverRest(place, platform);
  found.push(...(await differences(ledger, place)));
  return found;
}
