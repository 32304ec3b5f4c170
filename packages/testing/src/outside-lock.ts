import { spawn } from 'node:child_process';
import { once } from 'node:events';

const HOLD_LOCK = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1], { timeout: 5000 });
  database.exec('begin immediate');
  console.log('locked');
  process.stdin.on('end', () => database.exec('rollback')).resume();
`;

/** Another process that holds the write lock of a SQLite file until it is released. */
export async function lockFromOutside(file: string): Promise<{ release(): Promise<void> }> {
  const holder = spawn(process.execPath, ['-e', HOLD_LOCK, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(holder, 'exit');
  await Promise.race([once(holder.stdout, 'data'), ended.then(() => Promise.reject(new Error('No lock.')))]);
  return {
    async release() {
      holder.stdin.end();
      await ended;
    },
  };
}
