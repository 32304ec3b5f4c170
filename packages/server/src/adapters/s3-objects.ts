import { hash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { reasonOf } from '../lib/errors.ts';
import { assertObjectKey, isObjectKey } from '../lib/object-key.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Log } from '../ports/log.ts';
import type { ListedObject, ObjectStore } from '../ports/objects.ts';
import { type OutboundFailure, type OutboundResult, openOutboundHttp } from './outbound-http.ts';

export type S3Settings = {
  bucket: string;
  /** The URL that keys are appended to. */
  address: string;
  /** Undefined: the region in the address, else the default of most servers. */
  region: string | undefined;
  accessKeyId: string;
  secretAccessKey: string;
};

export type S3Limits = {
  /** Idle timeout: how long no byte may arrive or leave. */
  silenceMsMax: number;
  /** For the whole request: waiting for a connection, sending, reading the answer, and the retry. */
  totalMsMax: number;
  bytesMax: number;
  socketsMax: number;
  pageObjectsMax: number;
};

const LIMITS: S3Limits = {
  silenceMsMax: 5 * SECOND_MS,
  // Reading and rewriting an archive must take less than the lease of an erasure.
  totalMsMax: 12 * SECOND_MS,
  // Larger than the largest archive.
  bytesMax: 256 * 1024 ** 2,
  socketsMax: 32,
  pageObjectsMax: 1000,
};
/** The server may have closed a kept connection at this very moment. */
const TRIED_AGAIN = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];
const NOTHING: Uint8Array = new Uint8Array();
/** No object has this key: reading it only shows whether the bucket is usable. */
const CHECK_KEY = 'leadtrail-check';

/** Objects in a bucket of S3, or of anything that speaks its protocol. */
export function openS3Objects(settings: S3Settings, log: Log, limits: S3Limits = LIMITS): ObjectStore {
  const { bucket, address, region, accessKeyId, secretAccessKey } = settings;
  const { host } = new URL(address);
  const outbound = openOutboundHttp({
    connectionsPerHostMax: limits.socketsMax,
    answerBytesMax: limits.bytesMax,
    silenceMs: limits.silenceMsMax,
  });
  const signingKeys = new Map<string, ArrayBuffer>();
  let isClosed = false;
  let hasWarned = false;
  let isUp = true;

  function send(method: 'GET' | 'PUT' | 'DELETE', key: string, body = NOTHING): Promise<S3Answer> {
    assertObjectKey(key);
    return request(method, `${address}/${encodeKey(key)}`, body);
  }

  async function request(method: string, target: string, body = NOTHING): Promise<S3Answer> {
    const signer = new AwsV4Signer({
      accessKeyId,
      secretAccessKey,
      ...(region === undefined ? {} : { region }),
      service: 's3',
      method,
      url: target,
      // Part of the signature: a server refuses a body that changed on its way.
      headers: { 'x-amz-content-sha256': hash('sha256', body) },
      cache: signingKeys,
    });
    const { url, headers } = await signer.sign();
    const sent = { ...Object.fromEntries(headers), ...UNSIGNED, 'content-length': String(body.length) };
    const deadline = AbortSignal.timeout(limits.totalMsMax);
    const attempt = () =>
      outbound.send({ method, url, headers: sent, body, policy: 'trusted', signal: deadline });
    let answer = await attempt();
    if (TRIED_AGAIN.includes(answer.failure?.code ?? '')) answer = await attempt();
    isUp = answer.failure === null && answer.status !== null;
    if (answer.failure === null && answer.status !== null) return { ...answer, status: answer.status };
    throw new Error(describe(answer.failure, host, { isLate: deadline.aborted && !isClosed }));
  }

  const refusal = (answer: S3Answer) => {
    isUp = false;
    return new Error(describeRefusal(answer, bucket, host));
  };

  /** A versioned bucket only adds a delete marker. */
  function warnOfVersions({ headers }: S3Answer): void {
    if (headers['x-amz-delete-marker'] !== 'true' || hasWarned) return;
    hasWarned = true;
    log.warn('the bucket keeps old versions of deleted objects: add a lifecycle rule that removes them');
  }

  const objects: ObjectStore = {
    async put(key, body) {
      const answer = await send('PUT', key, body);
      if (!isDone(answer)) throw refusal(answer);
    },
    async get(key) {
      const answer = await send('GET', key);
      if (isDone(answer)) return answer.body;
      if (isMissing(answer)) return undefined;
      throw refusal(answer);
    },
    async delete(key) {
      const answer = await send('DELETE', key);
      if (!isDone(answer) && !isMissing(answer)) throw refusal(answer);
      warnOfVersions(answer);
    },
    async *list(folder) {
      assertObjectKey(folder);
      let token: string | undefined;
      do {
        const answer = await request('GET', listAddress(address, `${folder}/`, limits.pageObjectsMax, token));
        if (!isDone(answer)) throw refusal(answer);
        const listing = readListing(answer.body.toString());
        if (listing === undefined)
          throw new Error(`The object store at ${host} did not answer with a listing.`);
        yield listing.objects;
        token = listing.next;
      } while (token !== undefined);
    },
    isUp: () => isUp,
    close() {
      isClosed = true;
      outbound.close();
    },
  };
  objects.get(CHECK_KEY).catch((error: Error) => {
    if (!isClosed) log.warn('object store not available', { reason: reasonOf(error) });
  });
  return objects;
}

type S3Answer = OutboundResult & { status: number };

/** Left out of the signature, because proxies may change them. */
const UNSIGNED = { 'user-agent': 'Leadtrail', 'accept-encoding': 'identity' };

/** Percent-encodes as the signature requires: everything but letters, digits and `-._~`. */
function encodeKey(key: string): string {
  const encode = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  return key
    .split('/')
    .map((segment) => encodeURIComponent(segment).replaceAll(/[!'()*]/g, encode))
    .join('/');
}

function listAddress(address: string, prefix: string, max: number, token: string | undefined): string {
  const query = new URLSearchParams({ 'list-type': '2', 'max-keys': String(max), prefix });
  if (token !== undefined) query.set('continuation-token', token);
  // In the signature, a blank is `%20`, never a plus sign.
  return `${address}?${query.toString().replaceAll('+', '%20')}`;
}

type Listing = { objects: ListedObject[]; next: string | undefined };

/** Skips objects of others whose names none of ours can have. */
function readListing(xml: string): Listing | undefined {
  if (!xml.includes('<ListBucketResult')) return undefined;
  const isMore = textOf(xml, 'IsTruncated') === 'true';
  const objects = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, entry = '']) => ({
    key: textOf(entry, 'Key') ?? '',
    bytes: Number(textOf(entry, 'Size')),
    modifiedAt: Date.parse(textOf(entry, 'LastModified') ?? ''),
  }));
  return {
    objects: objects.filter(({ key }) => isObjectKey(key)),
    next: isMore ? textOf(xml, 'NextContinuationToken') : undefined,
  };
}

function textOf(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replaceAll(ENTITY, (_, entity: string) => characterOf(entity));
}

const ENTITY = /&(#x?[0-9a-f]{1,6}|amp|lt|gt|quot|apos);/gi;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function characterOf(entity: string): string {
  const code = entity.startsWith('#x') ? `0${entity.slice(1)}` : entity.slice(1);
  return NAMED[entity] ?? String.fromCodePoint(Math.min(Number(code), 0x10ffff));
}

function isDone({ status }: S3Answer): boolean {
  return status >= 200 && status < 300;
}

/** By code, not by status: a 404 from a proxy says nothing about the object. */
function isMissing(answer: S3Answer): boolean {
  return answer.status === 404 && codeOf(answer) === 'NoSuchKey';
}

/** Only the code: the rest of the response may quote the key, or what was signed with it. */
function codeOf({ body }: S3Answer): string | undefined {
  return /<Code>\s*([A-Za-z0-9.]{1,64})\s*<\/Code>/.exec(body.toString())?.[1];
}

const WRONG_KEY = 'does not accept S3_ACCESS_KEY_ID with S3_SECRET_ACCESS_KEY';
const WRONG_PLACE = 'says that S3_REGION or S3_ENDPOINT is not that of the bucket';
const REFUSALS: Readonly<Record<string, string>> = {
  AccessDenied: 'does not let this key read, write, delete and list in the bucket',
  InvalidAccessKeyId: WRONG_KEY,
  SignatureDoesNotMatch: WRONG_KEY,
  AuthorizationHeaderMalformed: WRONG_PLACE,
  PermanentRedirect: WRONG_PLACE,
  RequestTimeTooSkewed: 'says that the clock of this machine is wrong',
};

function describeRefusal(answer: S3Answer, bucket: string, host: string): string {
  const code = codeOf(answer);
  const status = code === undefined ? String(answer.status) : `${answer.status} ${code}`;
  if (code === 'NoSuchBucket') return `The object store at ${host} has no bucket "${bucket}" (${status}).`;
  const what = code === undefined ? undefined : REFUSALS[code];
  return what === undefined
    ? `The object store at ${host} answered ${status}.`
    : `The object store at ${host} ${what} (${status}).`;
}

function describe(failure: OutboundFailure | null, host: string, { isLate }: { isLate: boolean }): string {
  const code = failure?.code;
  if (isLate || code === 'TIMEOUT') return `The object store at ${host} did not answer in time.`;
  if (code === 'TOO_LONG') return `The object store at ${host} answered with more than an object can have.`;
  if (code === 'ABORTED') return 'The service is shutting down.';
  return `The object store at ${host} cannot be reached (${code}).`;
}
