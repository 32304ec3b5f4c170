import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHROMIUM_FLAGS, chromiumProgram } from '@leadtrail/testing/chromium';

/** By then scripts have finished loading and their requests are answered. */
const LOAD_MS = 2000;

export type BareChromium = {
  /** CPU time of a page's main thread in milliseconds, from opening it until it is idle. */
  busyMs(url: string): Promise<number>;
  close(): Promise<void>;
};

type Answer = { id?: number; result?: Record<string, unknown>; error?: { message: string } };

/** Without Playwright, which watches requests from the page's own thread and would be measured with it. */
export async function openBareChromium(): Promise<BareChromium> {
  const profile = await mkdtemp(join(tmpdir(), 'leadtrail-bench-chromium-'));
  const flags = ['--headless', '--remote-debugging-port=0', `--user-data-dir=${profile}`];
  const browser = spawn(await chromiumProgram(), [...CHROMIUM_FLAGS, ...flags, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const address = await new Promise<string>((resolve, reject) => {
    browser.once('exit', () => reject(new Error('Chromium ended before it could be asked.')));
    createInterface(browser.stderr).on('line', (line) => {
      const found = /^DevTools listening on (ws:.+)$/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener('message', ({ data }) => {
    const answer: Answer = JSON.parse(String(data));
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });

  let lastId = 0;
  async function ask(method: string, params: object = {}, sessionId?: string) {
    const id = ++lastId;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }));
    const { result, error } = await answered;
    waiting.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  }

  return {
    async busyMs(url) {
      const { browserContextId } = await ask('Target.createBrowserContext');
      const { targetId } = await ask('Target.createTarget', { url: 'about:blank', browserContextId });
      const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true });
      const session = String(sessionId);
      await ask('Performance.enable', { timeDomain: 'threadTicks' }, session);
      await ask('Page.navigate', { url }, session);
      await sleep(LOAD_MS);
      const { metrics } = await ask('Performance.getMetrics', {}, session);
      await ask('Target.disposeBrowserContext', { browserContextId });
      const all = metrics as { name: string; value: number }[];
      return (all.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
    },
    async close() {
      socket.close();
      const ended = once(browser, 'exit');
      browser.kill();
      await ended;
      await rm(profile, { recursive: true, force: true });
    },
  };
}
