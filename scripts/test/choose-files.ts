import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { SLOW_FILES } from './slow-files.ts';

/** Which test files to run, the slowest first. */

const ALL = 'packages/*/test/**/*.test.ts';

/** What a change to one part needs, on both stores; the whole suite has more about each. */
const TOPICS: Readonly<Record<string, readonly string[]>> = {
  leads: [
    'packages/server/test/{lead-capture,lead-detail,lead-person,leads-list,lead-search,submissions-list}.test.ts',
    'packages/server/test/domain/leads/*.test.ts',
  ],
  tracking: [
    'packages/server/test/{tracking-*,early-events,ingest,statistics,vpn-and-engagement}.test.ts',
    'packages/server/test/domain/tracking/*.test.ts',
  ],
  forwarding: [
    'packages/server/test/{forwarding,automation-payload,callbacks,test-lead}.test.ts',
    'packages/server/test/domain/delivery/*.test.ts',
    'packages/server/test/adapters/http-webhook.test.ts',
  ],
  settings: [
    'packages/server/test/{settings,sites,forms-config,integrations,dropdown-options}.test.ts',
    'packages/server/test/domain/setup/*.test.ts',
  ],
  erase: [
    'packages/server/test/{erase,erase-meanwhile,erase-every-table,replay-erase,retention,retention-rows}.test.ts',
  ],
  replay: ['packages/server/test/replay-*.test.ts', 'packages/tracker/test/*replay*.test.ts'],
  tracker: ['packages/tracker/test/*.test.ts'],
  dashboard: ['packages/dashboard/test/*.test.ts'],
};

/** Without names all of them; a name is a topic, a path or pattern, or a part of file names. */
export function chooseFiles(root: string, names: readonly string[]): string[] {
  const files = names.length > 0 ? names.flatMap((name) => filesNamed(root, name)) : matching(root, ALL);
  return [...new Set(files)].sort((a, b) => slowness(b) - slowness(a) || a.localeCompare(b));
}

function filesNamed(root: string, name: string): string[] {
  const topic = TOPICS[name];
  if (topic !== undefined) return topic.flatMap((pattern) => matching(root, pattern));
  const given = matching(root, name).filter((path) => path.endsWith('.test.ts'));
  const found =
    given.length > 0 ? given : matching(root, ALL).filter((path) => basename(path).includes(name));
  if (found.length > 0) return found;
  throw new Error(`No test file matches ${name}. Topics: ${Object.keys(TOPICS).join(', ')}.`);
}

function matching(root: string, pattern: string): string[] {
  return globSync(pattern, { cwd: root });
}

/** Files that are not in the list are quick. */
function slowness(path: string): number {
  const place = SLOW_FILES.indexOf(path);
  return place === -1 ? 0 : SLOW_FILES.length - place;
}
