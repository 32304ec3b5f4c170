import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketAddress } from '../../src/lib/bucket-address.ts';

const at = (endpoint: string | undefined, bucket = 'leads', region?: string) =>
  bucketAddress({ bucket, endpoint, region });

/** As their own documentation writes the addresses. */
const PROVIDERS: [string, string, string][] = [
  ['MinIO', 'http://127.0.0.1:9000', 'http://127.0.0.1:9000/leads'],
  ['MinIO over IPv6', 'http://[::1]:9000/', 'http://[::1]:9000/leads'],
  ['AWS', 'https://s3.eu-central-1.amazonaws.com', 'https://s3.eu-central-1.amazonaws.com/leads'],
  [
    'AWS, address of the bucket',
    'https://leads.s3.eu-central-1.amazonaws.com',
    'https://leads.s3.eu-central-1.amazonaws.com',
  ],
  ['Cloudflare R2', 'https://0a1b.r2.cloudflarestorage.com', 'https://0a1b.r2.cloudflarestorage.com/leads'],
  [
    'Cloudflare R2, address of the bucket',
    'https://0a1b.eu.r2.cloudflarestorage.com/leads',
    'https://0a1b.eu.r2.cloudflarestorage.com/leads',
  ],
  ['Hetzner', 'https://fsn1.your-objectstorage.com', 'https://fsn1.your-objectstorage.com/leads'],
  [
    'Hetzner, address of the bucket',
    'https://leads.fsn1.your-objectstorage.com/',
    'https://leads.fsn1.your-objectstorage.com',
  ],
  ['Backblaze B2', 'https://s3.us-west-004.backblazeb2.com', 'https://s3.us-west-004.backblazeb2.com/leads'],
  ['Tigris, which takes nothing else', 'https://leads.t3.storage.dev', 'https://leads.t3.storage.dev'],
];
for (const [provider, endpoint, expected] of PROVIDERS) {
  test(`the bucket is where the provider has it: ${provider}`, () => assert.equal(at(endpoint), expected));
}

test('without an endpoint it is a bucket of AWS in that region', () => {
  assert.equal(at(undefined, 'leads', 'eu-west-1'), 'https://leads.s3.eu-west-1.amazonaws.com');
});

test('a name with dots does not become a name of a host, for which no certificate would be valid', () => {
  assert.equal(at(undefined, 'my.leads', 'eu-west-1'), 'https://s3.eu-west-1.amazonaws.com/my.leads');
});

test('a machine that happens to have the name of the bucket is not taken for the bucket', () => {
  assert.equal(at('https://leads.example.com'), 'https://leads.example.com/leads');
  assert.equal(at('http://leads:9000'), 'http://leads:9000/leads');
});

test('anything after the host but the bucket is refused', () => {
  for (const more of ['/other', '/leads/deeper', '/?list-type=2', '/#x']) {
    assert.throws(() => at(`https://objects.example${more}`), { message: /^S3_ENDPOINT must end/ }, more);
  }
});
