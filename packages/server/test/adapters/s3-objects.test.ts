import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import {
  adding,
  answering,
  damaging,
  hanging,
  once,
  resetting,
  S3_KEY,
  S3_SECRET,
  type S3Server,
  startS3Server,
  truncating,
} from '@leadtrail/testing/s3-server';
import { silentLog } from '@leadtrail/testing/silent-log';
import { within } from '@leadtrail/testing/torture/service-process';
import { openS3Objects, type S3Settings } from '../../src/adapters/s3-objects.ts';
import type { Log } from '../../src/ports/log.ts';
import type { ObjectStore } from '../../src/ports/objects.ts';

const BODY = Buffer.from('what is stored');
/** Longer than a busy machine takes for an answer. */
const LIMITS = {
  silenceMsMax: 1500,
  totalMsMax: 4000,
  bytesMax: 1024 ** 2,
  socketsMax: 4,
  pageObjectsMax: 1000,
};

describe('an object store that speaks S3', () => {
  let server: S3Server;
  let objects: ObjectStore;
  let host: string;
  let warned: string[];
  const log: Log = {
    ...silentLog,
    warn: (message, fields = {}) => void warned.push([message, ...Object.values(fields)].join(': ')),
  };
  const opened: ObjectStore[] = [];

  /** Once it has looked for the bucket. */
  async function open(more: Partial<S3Settings> = {}): Promise<ObjectStore> {
    const before = server.requests();
    const store = openS3Objects({ ...server.settings, ...more }, log, LIMITS);
    opened.push(store);
    while (server.requests() === before) await new Promise(setImmediate);
    return store;
  }

  before(async () => {
    server = await startS3Server();
    host = new URL(server.settings.address).host;
  });
  after(() => server.close());
  beforeEach(async () => {
    warned = [];
    server.behave();
    objects = await open();
    await objects.put('kept', BODY);
  });
  afterEach(() => {
    for (const store of opened.splice(0)) store.close();
  });

  /** What is said when nothing works: by each operation the same, and never a secret. */
  async function assertRefused(store: ObjectStore, message: string): Promise<void> {
    const operations = [store.put('key', BODY), store.get('kept'), store.delete('kept')];
    for (const result of await Promise.allSettled(operations)) {
      const error: Error = result.status === 'rejected' ? result.reason : assert.fail('It worked.');
      assert.equal(error.message, message);
      const shown = `${error.stack} ${JSON.stringify(error)} ${error.cause}`;
      for (const secret of [S3_KEY, S3_SECRET, 'Signature=']) assert.ok(!shown.includes(secret), shown);
    }
  }

  test('a listing is read whatever characters are in it; what cannot be an object is left out', async () => {
    const entry = (key: string) =>
      `<Contents><Key>${key}</Key><LastModified>2026-03-10T12:00:00.000Z</LastModified><Size>7</Size></Contents>`;
    const pages = [
      `${entry('a/')}${entry('a/&lt;b&gt; &amp;amp; &#39;&#x22;')}<IsTruncated>true</IsTruncated>
       <NextContinuationToken>t+/=&amp;</NextContinuationToken>`,
      `${entry('a//c')}\n${entry('a/d')}<IsTruncated>false</IsTruncated>`,
    ];
    const asked: (string | null)[] = [];
    server.behave((request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://host');
      asked.push(searchParams.get('continuation-token'));
      response.end(`<?xml version="1.0"?><ListBucketResult>${pages[asked.length - 1]}</ListBucketResult>`);
    });
    const listed = (await Array.fromAsync(objects.list('a'))).flat();
    const modifiedAt = Date.parse('2026-03-10T12:00:00Z');
    assert.deepEqual(listed, [
      { key: `a/<b> &amp; '"`, bytes: 7, modifiedAt },
      { key: 'a/d', bytes: 7, modifiedAt },
    ]);
    assert.deepEqual(asked, [null, 't+/=&']);
  });

  test('a listing that is refused, or is none, is an error and not an empty store', async () => {
    server.behave(answering(403, 'AccessDenied'));
    await assert.rejects(Array.fromAsync(objects.list('a')), /does not let this key/);
    server.behave((_request, response) => void response.end('<html>Welcome</html>'));
    await assert.rejects(Array.fromAsync(objects.list('a')), /did not answer with a listing/);
  });

  for (const [given, signed] of [
    [undefined, 'us-east-1'],
    ['auto', 'auto'],
    ['fsn1', 'fsn1'],
  ] as const) {
    test(`what is signed names the region ${signed} where ${given ?? 'none'} is given`, async () => {
      const seen: string[] = [];
      const store = await open({ region: given });
      server.behave((request, response, pass) => {
        seen.push(request.headers.authorization ?? '');
        void pass().then(({ status, body }) => response.writeHead(status).end(body));
      });
      assert.deepEqual(await store.get('kept'), BODY);
      assert.match(seen[0] ?? '', new RegExp(`Credential=${S3_KEY}/\\d{8}/${signed}/s3/aws4_request`));
    });
  }

  test('nothing is said while all is well', async () => {
    await objects.get('kept');
    assert.deepEqual(warned, []);
  });

  test('an unknown key is refused', async () => {
    const message = `The object store at ${host} does not accept S3_ACCESS_KEY_ID with S3_SECRET_ACCESS_KEY (403 InvalidAccessKeyId).`;
    await assertRefused(await open({ accessKeyId: 'somebody-else' }), message);
  });

  test('a wrong secret is refused: the server compares the signature', async () => {
    const message = `The object store at ${host} does not accept S3_ACCESS_KEY_ID with S3_SECRET_ACCESS_KEY (403 SignatureDoesNotMatch).`;
    await assertRefused(await open({ secretAccessKey: 'guessed' }), message);
  });

  test('a bucket that does not exist is said clearly, and is not taken for an object that does not', async () => {
    const address = server.settings.address.replace(/[^/]+$/, 'other-bucket');
    const message = `The object store at ${host} has no bucket "other-bucket" (404 NoSuchBucket).`;
    await assertRefused(await open({ address, bucket: 'other-bucket' }), message);
    while (warned.length === 0) await new Promise(setImmediate);
    assert.deepEqual(warned, [`object store not available: ${message}`]);
  });

  const REFUSALS: [string, number, string, string][] = [
    ['slow down', 503, 'SlowDown', 'answered 503 SlowDown.'],
    ['an internal error', 500, 'InternalError', 'answered 500 InternalError.'],
    [
      'missing permissions',
      403,
      'AccessDenied',
      'does not let this key read, write, delete and list in the bucket (403 AccessDenied).',
    ],
    [
      'a bucket elsewhere',
      301,
      'PermanentRedirect',
      'says that S3_REGION or S3_ENDPOINT is not that of the bucket (301 PermanentRedirect).',
    ],
    [
      'a wrong clock',
      403,
      'RequestTimeTooSkewed',
      'says that the clock of this machine is wrong (403 RequestTimeTooSkewed).',
    ],
  ];
  for (const [what, status, code, said] of REFUSALS) {
    test(`${what}: what it means is said, and nothing of what else the server says`, async () => {
      server.behave(answering(status, code));
      const asked = server.requests();
      await assertRefused(objects, `The object store at ${host} ${said}`);
      // To ask again is for whoever has waited.
      assert.equal(server.requests(), asked + 3);
      server.behave();
      assert.deepEqual(await objects.get('kept'), BODY);
    });
  }

  test('a 404 of somebody in between is not taken for an object that does not exist', async () => {
    server.behave((_request, response) => void response.writeHead(404).end('<html>Not found</html>'));
    await assertRefused(objects, `The object store at ${host} answered 404.`);
  });

  test('deleting what is not there is no error for those who say so either', async () => {
    server.behave(answering(404, 'NoSuchKey'));
    await objects.delete('nothing');
  });

  describe('one that does not behave', () => {
    test('nobody listens: said at once, and healed as soon as somebody does', async () => {
      await server.goAway();
      await assertRefused(objects, `The object store at ${host} cannot be reached (ECONNREFUSED).`);
      await server.comeBack();
      assert.deepEqual(await objects.get('kept'), BODY);
    });

    test('never answers: given up', async () => {
      server.behave(hanging);
      await assertRefused(objects, `The object store at ${host} did not answer in time.`);
      server.behave();
      assert.deepEqual(await objects.get('kept'), BODY);
    });

    test('never answers: given up long before all the time is over that it may take', async () => {
      const patient = openS3Objects(server.settings, log, { ...LIMITS, totalMsMax: 600_000 });
      opened.push(patient);
      server.behave(hanging);
      await assert.rejects(within('Giving up', patient.get('kept')), {
        message: /did not answer in time/,
      });
    });

    test('answers byte by byte: given up when it takes too long in all', async () => {
      server.behave((request, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        const timer = setInterval(() => response.write('x'), LIMITS.silenceMsMax / 6);
        request.socket.on('close', () => clearInterval(timer));
      });
      await assert.rejects(within('Giving up', objects.get('kept')), {
        message: /did not answer in time/,
      });
    });

    test('never answers more than it has connections: those who wait for one are given up as well', async () => {
      server.behave(hanging);
      const all = Array.from({ length: 30 }, () => objects.get('kept'));
      const results = await within('Giving up', Promise.allSettled(all));
      for (const { status } of results) assert.equal(status, 'rejected');
      server.behave();
      assert.deepEqual(await objects.get('kept'), BODY);
    });

    test('answers without end: not read further than an object can be', async () => {
      server.behave((_request, response) => {
        const more = () => response.write(Buffer.alloc(64 * 1024), (error) => error ?? setImmediate(more));
        more();
      });
      const message = `The object store at ${host} answered with more than an object can have.`;
      await assert.rejects(objects.get('kept'), { message });
    });

    test('resets one connection: nobody notices', async () => {
      for (const operation of [
        () => objects.put('again', BODY),
        () => objects.get('kept'),
        () => objects.delete('kept'),
      ]) {
        server.behave(once(resetting));
        await operation();
      }
      server.behave();
      assert.deepEqual(await objects.get('again'), BODY);
      assert.equal(await objects.get('kept'), undefined);
    });

    test('resets every connection: said after the second', async () => {
      server.behave(resetting);
      const asked = server.requests();
      await assertRefused(objects, `The object store at ${host} cannot be reached (ECONNRESET).`);
      assert.equal(server.requests(), asked + 6);
    });

    test('breaks off in the middle: half an object is never taken for one', async () => {
      server.behave(truncating);
      await assert.rejects(objects.get('kept'), { message: /cannot be reached \(ECONNRESET\)/ });
    });
  });

  test('what changes on its way is refused: the content is a part of what is signed', async () => {
    server.behave(damaging);
    const message = `The object store at ${host} answered 400 XAmzContentSHA256Mismatch.`;
    await assert.rejects(objects.put('damaged', BODY), { message });
    assert.equal(await objects.get('damaged'), undefined);
  });

  test('the bucket is looked for at the start, once: what is wrong with it is said, and heals', async () => {
    await server.goAway();
    const store = openS3Objects(server.settings, log, LIMITS);
    opened.push(store);
    while (warned.length === 0) await new Promise(setImmediate);
    await server.comeBack();
    await store.put('healed', BODY);
    assert.deepEqual(warned, [
      `object store not available: The object store at ${host} cannot be reached (ECONNREFUSED).`,
    ]);
  });

  test('a bucket that keeps what is deleted is warned of once', async () => {
    server.behave(adding({ 'x-amz-delete-marker': 'true', 'x-amz-version-id': 'v1' }));
    await objects.delete('kept');
    await objects.delete('kept');
    assert.deepEqual(warned, [
      'the bucket keeps old versions of deleted objects: add a lifecycle rule that removes them',
    ]);
  });

  test('what is under way when it is closed fails, and nothing is said of it', async () => {
    server.behave(hanging);
    const store = await open();
    const reading = assert.rejects(store.get('kept'), { message: 'The service is shutting down.' });
    store.close();
    await reading;
    await assert.rejects(store.get('kept'), { message: 'The service is shutting down.' });
    assert.deepEqual(warned, []);
  });
});
