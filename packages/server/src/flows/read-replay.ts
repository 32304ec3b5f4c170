import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { AppError, unavailable } from '../lib/errors.ts';
import type { ObjectStore } from '../ports/objects.ts';
import type { Store } from '../store/store.ts';

const unzip = promisify(gunzip);

/** Hides the latency of a remote object store. */
const CHUNKS_PREFETCHED = 4;

/** Streams the recording of a session, with a few chunks in memory. */
export async function* readReplay(
  { store, objects }: { store: Store; objects: ObjectStore },
  sessionId: string,
): AsyncIterable<string> {
  const found = await store.replay({ sessionId });
  if (found === null) throw new AppError('not_found', 'There is no recording of this session.');
  const { keys, ...replay } = found;
  // Sent together with the first chunk: until then the response can still become an error.
  const head = `${JSON.stringify(replay).slice(0, -1)},"events":[`;
  let before = head;
  for await (const chunk of chunksOf(objects, keys)) {
    // Strips the brackets of the array.
    yield before + chunk.slice(1, -1);
    before = ',';
  }
  yield before === head ? `${head}]}` : ']}';
}

async function* chunksOf(objects: ObjectStore, keys: readonly string[]): AsyncIterable<string> {
  const prefetched: Promise<Uint8Array | undefined>[] = [];
  for (let next = 0; next < keys.length || prefetched.length > 0; ) {
    while (next < keys.length && prefetched.length < CHUNKS_PREFETCHED) {
      const chunk = objects.get(keys[next++] as string);
      // Reported when its turn comes.
      chunk.catch(() => undefined);
      prefetched.push(chunk);
    }
    const chunk = await prefetched.shift()?.catch((error) => {
      throw unavailable('The recording cannot be read at present.', error);
    });
    // Deleted in the meantime by retention or an erasure.
    if (chunk !== undefined) yield (await unzip(chunk)).toString();
  }
}
