import { measureAnswers } from './answers.ts';
import { measureBrowserScripts } from './browser-scripts.ts';
import { measureDashboard } from './dashboard.ts';
import { measureLeadLists } from './lead-lists.ts';
import { measureLeads } from './leads.ts';
import { requireWrk } from './load.ts';
import { measureOutage } from './outage.ts';
import { measurePostgres } from './postgres.ts';
import { measureProcessorTime } from './processor-time.ts';
import { report } from './results.ts';
import { measureTracking } from './tracking.ts';

/**
 * `npm run bench [-- --quick] [-- browser|leads|tracking|processor|postgres|outage|lists|answers|dashboard]`:
 * the service against a raw `node:http` echo, with the same payload and load generator in the same run.
 * Ratios count: a slow or busy machine affects both. Lists are measured in milliseconds on a large store,
 * scripts by the time they add to a page. `processor` compares two commits on a noisy machine: run it
 * alternately in a clone of each.
 */

const SECTIONS = {
  browser: measureBrowserScripts,
  leads: measureLeads,
  tracking: measureTracking,
  processor: measureProcessorTime,
  postgres: measurePostgres,
  outage: measureOutage,
  lists: measureLeadLists,
  answers: measureAnswers,
  dashboard: measureDashboard,
};

const chosen = process.argv.slice(2).filter((word) => Object.hasOwn(SECTIONS, word));
requireWrk();
for (const [name, measure] of Object.entries(SECTIONS)) {
  if (chosen.length === 0 || chosen.includes(name)) await measure();
}
await report(chosen);
