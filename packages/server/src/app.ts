import type { Server } from 'node:http';
import { makeRequestIds } from './app/ids.ts';
import { type Overrides, openParts, type Parts } from './app/open-parts.ts';
import { makeListener } from './app/serve.ts';
import { startWork, type Work } from './app/start-work.ts';
import type { Config } from './config.ts';
import { closeServer, listen, openServer } from './http/server.ts';

type Shown =
  | ('answers' | 'store' | 'inbox' | 'leadLog' | 'objects' | 'cache')
  | ('webhook' | 'log' | 'metrics' | 'now');

export type App = Work &
  Pick<Parts, Shown> & {
    server: Server;
    adminKey: string;
    /** File with the keys that the service has generated, at this start or an earlier one. */
    keyFile: string;
    hasNewKeys: boolean;
    listen(): Promise<number>;
    /** Reports not ready, so that load balancers turn away, but keeps taking requests. */
    drain(): void;
    close(): Promise<void>;
  };

const CLOSE_INGEST_MS = 4000;
const CLOSE_OBJECTS_MS = 3000;
const CLOSE_LEAD_LOG_MS = 2000;

/** Composition root: opens the parts, starts background work, answers requests. */
export async function buildApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const parts = await openParts(config, overrides);
  const work = await startWork(config, parts, { timers: overrides.schedule !== false });
  let draining = false;
  const newRequestId = makeRequestIds();
  const listener = makeListener(config, parts, work, { isDraining: () => draining, newRequestId });
  const server = openServer(listener, newRequestId);
  const { answers, store, inbox, leadLog, objects, cache, webhook, log, metrics, now, keys, keyFile } = parts;
  return {
    ...work,
    ...{ answers, store, inbox, leadLog, objects, cache, webhook, log, metrics, now, server },
    adminKey: keys.admin,
    keyFile,
    hasNewKeys: keys.created,
    listen: () => listen(server, config),
    drain() {
      draining = true;
    },
    async close() {
      draining = true;
      await close(server, parts, work);
    },
  };
}

/** In this order: sources of work, then workers, then what they depend on. */
async function close(server: Server, parts: Parts, work: Work): Promise<void> {
  const { objects, webhook, captcha, inbox, leadLog, store, redis } = parts;
  // Pending uploads stay queued on disk, so shutdown need not wait for them.
  const giveUpObjects = setTimeout(() => objects.close(), CLOSE_OBJECTS_MS);
  await Promise.all([closeServer(server), work.forwarding.stop(), work.indexing.stop(), work.renewal.stop()]);
  await work.schedule.stop();
  clearTimeout(giveUpObjects);
  objects.close();
  webhook.close();
  captcha.close();
  await work.ingest.drain(CLOSE_INGEST_MS);
  await work.ingest.stop();
  await work.adoption.stop();
  await work.loggedLeads.drain(CLOSE_LEAD_LOG_MS);
  await work.loggedLeads.stop();
  await work.leadAdoption.stop();
  await work.watch.leave(leadLog);
  await leadLog.close();
  await work.watch.leave(inbox);
  await parts.answers.close();
  await inbox.close();
  await store.close();
  redis?.close();
}
