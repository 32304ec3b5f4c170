import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { AppError } from '../domain/errors.ts';
import type { ObjectStore } from '../ports/objects.ts';
import type { Store } from '../store/store.ts';

const unzip = promisify(gunzip);

/** The recording of a session, piece by piece: however long it is, only a chunk of it is in memory. */
export async function* readReplay(
  { store, objects }: { store: Store; objects: ObjectStore },
  sessionId: string,
): AsyncIterable<string> {
  const found = await store.replay({ sessionId });
  if (found === null) throw new AppError('not-found', 'There is no recording of this session.');
  const { keys, ...replay } = found;
  yield `${JSON.stringify(replay).slice(0, -1)},"events":[`;
  let separator = '';
  for (const key of keys) {
    const chunk = await objects.get(key);
    // Deleted in the meantime, because it is too old or its visitor was erased.
    if (chunk === undefined) continue;
    const events = (await unzip(chunk)).toString();
    // Without the brackets around them.
    yield separator + events.slice(1, -1);
    separator = ',';
  }
  yield ']}';
}
