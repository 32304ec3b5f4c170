import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type ArchiveContent, contentOf } from '../domain/tracking/session-archive.ts';
import { DAY_MS } from '../lib/utc-time.ts';
import type { ListedObject } from '../ports/objects.ts';
import type { ObjectRow } from '../store/schema.ts';
import type { JobParts } from './job.ts';

/** Reconciles the catalogue with the contents of the object store. */

/** An object is written before its row: a younger one is not yet an orphan. */
const UNRECORDED_MS_MIN = DAY_MS;
const KEYS_PER_STEP = 1000;
/** If more are all gone at once, it is the wrong bucket or directory, and nothing must be forgotten. */
const GONE_AT_ONCE_MAX = 100;
const HANDLED_AT_ONCE = 50;
const FOLDERS = { archive: 'archives', replay: 'replays' } as const;

const unzip = promisify(gunzip);

type Kind = ObjectRow['kind'];
/** Orphaned objects past their retention, younger orphans, and catalogue rows without an object. */
export type Reconciled = {
  deleted: number;
  adopted: number;
  forgotten: number;
  failures: number;
  /** Of the first failure. */
  reason: string;
};

/** Merges two sorted lists page by page, so that neither is ever in memory as a whole. */
export async function reconcileObjects(
  parts: JobParts,
  kind: Kind,
  { now, before }: { now: number; before: number },
): Promise<Reconciled> {
  const { store, objects, signal } = parts;
  const total: Reconciled = { deleted: 0, adopted: 0, forgotten: 0, failures: 0, reason: '' };
  let comparedTo = '';
  for await (const page of objects.list(FOLDERS[kind])) {
    if (signal.aborted) return total;
    const last = page.at(-1);
    if (last === undefined) continue;
    const unknown = new Map(page.map((object) => [object.key, object]));
    for await (const keys of cataloguePart(parts, kind, comparedTo, last.key)) {
      const missing = keys.filter((key) => !unknown.delete(key));
      total.forgotten += await forgetMissing(parts, missing);
    }
    const old = [...unknown.values()].filter(({ modifiedAt }) => modifiedAt < before);
    await deleteUnknown(parts, old, total);
    const left = [...unknown.values()].filter(
      ({ modifiedAt }) => modifiedAt >= before && modifiedAt < now - UNRECORDED_MS_MIN,
    );
    for (const object of left) total.adopted += await adopt(parts, kind, object);
    comparedTo = last.key;
  }
  if (comparedTo === '') {
    const known = await store.cataloguedKeys({ kind, after: '', upTo: null, max: GONE_AT_ONCE_MAX + 1 });
    if (known.length > GONE_AT_ONCE_MAX) {
      throw new Error(`There is nothing in ${FOLDERS[kind]}: is this the right object store?`);
    }
  }
  for await (const keys of cataloguePart(parts, kind, comparedTo, null)) {
    total.forgotten += await forgetMissing(parts, keys);
  }
  return total;
}

async function* cataloguePart(
  { store, signal }: JobParts,
  kind: Kind,
  from: string,
  upTo: string | null,
): AsyncGenerator<string[]> {
  let after = from;
  while (!signal.aborted) {
    const keys = await store.cataloguedKeys({ kind, after, upTo, max: KEYS_PER_STEP });
    yield keys;
    if (keys.length < KEYS_PER_STEP) return;
    after = keys.at(-1) ?? after;
  }
}

/** Looks for each again, because it may have been written after its page was listed. */
async function forgetMissing({ store, objects }: JobParts, keys: readonly string[]): Promise<number> {
  let forgotten = 0;
  for (let at = 0; at < keys.length; at += HANDLED_AT_ONCE) {
    const some = keys.slice(at, at + HANDLED_AT_ONCE);
    const found = await Promise.all(some.map((key) => objects.get(key)));
    const gone = some.filter((_, i) => found[i] === undefined);
    if (gone.length > 0) await store.forgetObjects({ keys: gone });
    forgotten += gone.length;
  }
  return forgotten;
}

/** A failure does not hold up the others. */
async function deleteUnknown(
  { objects }: JobParts,
  old: readonly ListedObject[],
  total: Reconciled,
): Promise<void> {
  for (let at = 0; at < old.length; at += HANDLED_AT_ONCE) {
    const some = old.slice(at, at + HANDLED_AT_ONCE);
    const results = await Promise.allSettled(some.map(({ key }) => objects.delete(key)));
    const failed = results.filter((result) => result.status === 'rejected');
    total.deleted += some.length - failed.length;
    total.failures += failed.length;
    total.reason ||= failed[0]?.reason.message ?? '';
  }
}

async function adopt(
  { store, objects }: JobParts,
  kind: Kind,
  { key, bytes, modifiedAt }: ListedObject,
): Promise<number> {
  const content = kind === 'archive' ? await readContent(objects, key) : NO_SESSIONS;
  // Deleted in the meantime.
  if (content === undefined) return 0;
  await store.adoptObjects({ objects: [{ key, kind, created_at: modifiedAt, bytes, ...content }] });
  return 1;
}

const NO_SESSIONS: ArchiveContent = { sessions: 0, first_session: '', last_session: '' };

/** By which an erasure finds the archives of a session. An object that is not an archive has none. */
async function readContent(objects: JobParts['objects'], key: string): Promise<ArchiveContent | undefined> {
  const body = await objects.get(key);
  if (body === undefined) return undefined;
  try {
    return contentOf((await unzip(body)).toString());
  } catch {
    return NO_SESSIONS;
  }
}
