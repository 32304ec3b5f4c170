import { setImmediate as othersServed } from 'node:timers/promises';
import { ReplayEnvelope } from '@leadtrail/contract/replay';
import { boundsOf } from '../../domain/leads/submission-period.ts';
import { readChunk } from '../../domain/tracking/replay-chunk.ts';
import type { AppSettings } from '../../flows/app-settings.ts';
import { readReplay } from '../../flows/read-replay.ts';
import type { ReplayChunk, StoreReplay } from '../../flows/store-replay.ts';
import { AppError } from '../../lib/errors.ts';
import type { ScannedJson } from '../../lib/json-scan.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { validate } from '../read-body.ts';

export function replayRoutes({
  store,
  objects,
  settings,
  storeReplay,
}: {
  store: Store;
  objects: ObjectStore;
  settings: AppSettings;
  storeReplay: StoreReplay;
}): Pick<Handlers, 'storeReplay' | 'replaySessions' | 'replay'> {
  return {
    async storeReplay({ packed }) {
      const { replaySampleRate, redactedParameters } = await settings.current();
      if (replaySampleRate === 0) throw new AppError('forbidden', 'Recording is switched off.');
      const body = await packed();
      try {
        return await storeReplay(await chunkOf(body.json, redactedParameters));
      } finally {
        body.release();
      }
    },
    replaySessions: ({ query: { visitor_id, session_id, site, lead, from, to, ...query } }) =>
      store.replaySessions({
        ...query,
        visitorId: visitor_id,
        sessionId: session_id,
        siteKeys: site,
        isLead: lead,
        ...boundsOf({ from, to }),
      }),
    replay: ({ params }) => readReplay({ store, objects }, params.session_id),
  };
}

async function chunkOf(json: ScannedJson, redacted: readonly string[]): Promise<ReplayChunk> {
  const reading = readChunk(json, redacted);
  let step = reading.next();
  while (!step.done) {
    await othersServed();
    step = reading.next();
  }
  const { envelope, events } = step.value;
  return { ...validate(ReplayEnvelope, envelope, 'body'), events };
}
