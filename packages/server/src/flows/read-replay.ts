import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { AppError, unavailable } from '../lib/errors.ts';
import type { ObjectStore } from '../ports/objects.ts';
import type { Store } from '../store/store.ts';

const unzip = promisify(gunzip);

/** An object store far away takes its time for each; with these on their way nobody waits for it. */
const CHUNKS_AHEAD = 4;

/** The recording of a session, piece by piece: however long it is, only a few chunks of it are in memory. */
export async function* readReplay(
  { store, objects }: { store: Store; objects: ObjectStore },
  sessionId: string,
): AsyncIterable<string> {
  const found = await store.replay({ sessionId });
  if (found === null) throw new AppError('not_found', 'There is no recording of this session.');
  const { keys, ...replay } = found;
  // Before the first chunk is there nothing is said: until then it can be said that it is not.
  const head = `${JSON.stringify(replay).slice(0, -1)},"events":[`;
  let before = head;
  for await (const chunk of chunksOf(objects, keys)) {
    // Without the brackets around them.
    yield before + chunk.slice(1, -1);
    before = ',';
  }
  yield before === head ? `${head}]}` : ']}';
}

async function* chunksOf(objects: ObjectStore, keys: readonly string[]): AsyncIterable<string> {
  const onTheirWay: Promise<Uint8Array | undefined>[] = [];
  for (let next = 0; next < keys.length || onTheirWay.length > 0; ) {
    while (next < keys.length && onTheirWay.length < CHUNKS_AHEAD) {
      const chunk = objects.get(keys[next++] as string);
      // Said when its turn has come.
      chunk.catch(() => undefined);
      onTheirWay.push(chunk);
    }
    const chunk = await onTheirWay.shift()?.catch((error) => {
      throw unavailable('The recording cannot be read at present.', error);
    });
    // Deleted in the meantime, because it is too old or its visitor was erased.
    if (chunk !== undefined) yield (await unzip(chunk)).toString();
  }
}
