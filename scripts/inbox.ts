import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { adoptInboxes, listInboxes } from '../packages/server/src/adapters/inbox-folder.ts';
import { INBOX_DIR, LEAD_LOG_DIR } from '../packages/server/src/lib/data-dir.ts';
import { OperatorError } from '../packages/server/src/lib/errors.ts';
import { refuseMissing, runCommand } from './run-command.ts';

/** `npm run inbox -- list` and `npm run inbox -- adopt <folder>`. */

/** Inboxes of tracking, and lead logs. */
const FOLDERS = [INBOX_DIR, LEAD_LOG_DIR] as const;

const USAGE = [
  'npm run inbox -- list            shows the inboxes of this machine',
  'npm run inbox -- adopt <folder>  takes in the DATA_DIR, or its inbox or lead-log folder, of a machine that is gone',
].join('\n');

await runCommand({ failed: '' }, ({ dataDir }) => {
  const [command, folder] = process.argv.slice(2);
  if (command === 'list' && folder === undefined) listAll(dataDir);
  else if (command === 'adopt' && folder !== undefined) adopt(folder, dataDir);
  else throw new OperatorError(`Say what to do:\n${USAGE}`);
});

function listAll(dataDir: string): void {
  refuseMissing(dataDir);
  for (const name of FOLDERS) list(join(dataDir, name));
}

function list(dir: string): void {
  const inboxes = listInboxes(dir);
  if (inboxes.length === 0) console.log(`There is no inbox in ${dir}.`);
  for (const inbox of inboxes) {
    if (inbox.state === 'in use') console.log(`${inbox.file}  in use by a running service`);
    else if (inbox.state === 'unreadable') console.log(`${inbox.file}  cannot be read: ${inbox.reason}`);
    else {
      const since =
        inbox.oldestAt === null ? '' : `, the oldest since ${new Date(inbox.oldestAt).toISOString()}`;
      console.log(`${inbox.file}  ${figure(inbox.records)} records, ${figure(inbox.bytes)} bytes${since}`);
    }
  }
}

/** A DATA_DIR has an inbox and a lead log; any other folder is taken as an inbox. */
function adopt(folder: string, dataDir: string): void {
  const inside = FOLDERS.filter((name) => existsSync(join(folder, name)));
  const adopted = inside.map((name) => adoptInboxes(join(folder, name), join(dataDir, name)));
  if (inside.length === 0) adopted.push(adoptInboxes(folder, join(dataDir, folderLike(folder))));
  const files = adopted.reduce((sum, each) => sum + each.files, 0);
  const records = adopted.reduce((sum, each) => sum + each.records, 0);
  console.log(`Adopted ${figure(records)} records of ${files} inboxes.`);
  console.log('A running service processes them within a minute, otherwise the next start does.');
}

/** A copied lead log is recognised by the name of its folder. */
function folderLike(folder: string): string {
  return FOLDERS.find((name) => name === basename(resolve(folder))) ?? FOLDERS[0];
}

function figure(value: number): string {
  return value.toLocaleString('en');
}
