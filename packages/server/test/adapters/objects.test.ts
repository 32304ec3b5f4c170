import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startS3Server } from '@leadtrail/testing/s3-server';
import { silentLog } from '@leadtrail/testing/silent-log';
import fc from 'fast-check';
import { openFileObjects } from '../../src/adapters/file-objects.ts';
import { openS3Objects } from '../../src/adapters/s3-objects.ts';
import type { ObjectStore } from '../../src/ports/objects.ts';

/** What every object store promises, whatever it is made of. */

type Opened = { objects: ObjectStore; remove: () => Promise<void> | void };
const MIB = 1024 ** 2;
const PAGE_MAX = 3;
const S3_LIMITS = {
  silenceMsMax: 5000,
  totalMsMax: 12_000,
  bytesMax: 256 * MIB,
  socketsMax: 32,
  pageObjectsMax: PAGE_MAX,
};

const STORES: Record<string, () => Promise<Opened>> = {
  async files() {
    const dir = mkdtempSync(join(tmpdir(), 'leadtrail-test-'));
    return { objects: openFileObjects(dir, PAGE_MAX), remove: () => rmSync(dir, { recursive: true }) };
  },
  async S3() {
    const server = await startS3Server();
    return { objects: openS3Objects(server.settings, silentLog, S3_LIMITS), remove: () => server.close() };
  },
};

for (const [name, open] of Object.entries(STORES)) {
  describe(`objects in ${name}`, () => {
    let objects: ObjectStore;
    let remove: Opened['remove'];
    before(async () => {
      ({ objects, remove } = await open());
    });
    after(async () => {
      objects.close();
      await remove();
    });

    async function assertKept(key: string, body: Uint8Array): Promise<void> {
      await objects.put(key, body);
      assert.deepEqual(Buffer.from((await objects.get(key)) ?? assert.fail(key)), Buffer.from(body));
    }

    test('are read as they were written', () =>
      assertKept('archives/2026/03/10/a.ndjson.gz', randomBytes(1000)));

    test('may have no bytes', () => assertKept('empty', new Uint8Array()));

    test('may have five megabytes', () => assertKept('large', randomBytes(5 * MIB)));

    test('may be a part of a larger piece of memory', () =>
      assertKept('part', randomBytes(100).subarray(10, 20)));

    test('are replaced by what is written later, also by something shorter', async () => {
      await assertKept('replaced', Buffer.from('the first, which is longer'));
      await assertKept('replaced', Buffer.from('the second'));
    });

    test('that are not there are undefined', async () => {
      assert.equal(await objects.get('nothing/here'), undefined);
      await assertKept('folder/object', Buffer.from('x'));
      assert.equal(await objects.get('folder/other'), undefined);
    });

    test('are gone once they are deleted, and deleting them again is no error', async () => {
      await assertKept('deleted', Buffer.from('x'));
      await objects.delete('deleted');
      assert.equal(await objects.get('deleted'), undefined);
      await objects.delete('deleted');
      await objects.delete('never/there');
    });

    test('may have any character in their keys', async () => {
      const char = fc.constantFrom(...('aZ09 -._~!\'()*+&$@=;:,?#%<>"{}|^`[]\\äß漢😀'.match(/./gu) ?? []));
      const segment = fc
        .string({ unit: char, minLength: 1, maxLength: 5 })
        .filter((text) => !['.', '..'].includes(text) && text === text.normalize());
      const parts = fc.array(segment, { minLength: 1, maxLength: 3 });
      let tried = 0;
      await fc.assert(
        fc.asyncProperty(parts, fc.uint8Array({ maxLength: 50 }), async (names, body) => {
          // In files a key cannot be the beginning of another.
          tried += 1;
          const odd = ['any', tried, ...names].join('/');
          await assertKept(odd, body);
          await objects.delete(odd);
          assert.equal(await objects.get(odd), undefined);
        }),
        { numRuns: 60 },
      );
    });

    test('have keys that are told apart however they would be encoded', async () => {
      const keys = ['same/a b', 'same/a+b', 'same/a%20b', 'same/a%2Bb'];
      await Promise.all(keys.map((key) => objects.put(key, Buffer.from(key))));
      for (const key of keys) assert.equal(Buffer.from((await objects.get(key)) ?? '').toString(), key);
    });

    test('are listed page by page in the order of their keys, with size and time', async () => {
      const keys = ['l/a/1', 'l/a/2', 'l/a/c/d', 'l/a0', 'l/b c', 'l/ä/ß', 'l2/x', 'k/y'];
      const since = Date.now() - 5000;
      await Promise.all(keys.map((key, i) => objects.put(key, Buffer.alloc(i))));
      const pages = await Array.fromAsync(objects.list('l'));
      assert.ok(pages.every((page) => page.length <= PAGE_MAX));
      const listed = pages.flat();
      assert.deepEqual(
        listed.map(({ key, bytes }) => [key, bytes]),
        keys.slice(0, -2).map((key, i) => [key, i]),
      );
      assert.ok(listed.every(({ modifiedAt }) => modifiedAt >= since && modifiedAt <= Date.now() + 5000));
      assert.deepEqual((await Array.fromAsync(objects.list('l/a'))).flat().length, 3);
      assert.deepEqual((await Array.fromAsync(objects.list('nothing'))).flat(), []);
      await assert.rejects(Array.fromAsync(objects.list('../outside')));
    });

    test('stay inside the store', async () => {
      for (const key of ['../outside', 'a/../../b', 'a/./b', '/etc/passwd', 'a//b', 'a/', '', '..', 'a\0b']) {
        const inside = { message: 'An object key must stay inside the store.' };
        await assert.rejects(objects.put(key, Buffer.from('x')), inside, key);
        await assert.rejects(objects.get(key), inside, key);
        await assert.rejects(objects.delete(key), inside, key);
      }
    });

    test('are each their own when a hundred are written and read at once', async () => {
      const all = Array.from(
        { length: 100 },
        (_, i) => [`crowd/${i % 7}/${i}`, randomBytes(20_000)] as const,
      );
      await Promise.all(all.map(([key, body]) => assertKept(key, body)));
      await Promise.all(all.map(([key]) => objects.delete(key)));
      for (const [key] of all) assert.equal(await objects.get(key), undefined);
    });

    test('that are written twice at once, because an answer got lost, are whole', async () => {
      const body = randomBytes(100_000);
      await Promise.all(Array.from({ length: 8 }, () => objects.put('twice', body)));
      await assertKept('twice', body);
    });
  });
}

test('a file that could not be finished goes when its object is deleted', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'leadtrail-test-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const objects = openFileObjects(dir);
  const unfinished = join(dir, '.unfinished');
  mkdirSync(unfinished);
  for (const name of ['a%2Fb.1', 'a%2Fbc.1']) writeFileSync(join(unfinished, name), 'x');
  await objects.delete('a/b');
  assert.deepEqual(readdirSync(unfinished), ['a%2Fbc.1']);
});

test('files are listed in the order of whole keys, not folder by folder', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'leadtrail-test-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const objects = openFileObjects(dir);
  const keys = ['l/a-b', 'l/a.b', 'l/a/1', 'l/a0'];
  await Promise.all(keys.map((key) => objects.put(key, Buffer.from('x'))));
  const listed = (await Array.fromAsync(objects.list('l'))).flat();
  assert.deepEqual(
    listed.map(({ key }) => key),
    keys,
  );
});
