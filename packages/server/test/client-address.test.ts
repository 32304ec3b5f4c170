import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { aStart } from '@leadtrail/testing/builders';
import { emptyDatabase, type Row, row, rows } from '@leadtrail/testing/database';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import { startSession } from '@leadtrail/testing/visits';

type Headers = Record<string, string>;

async function storedPlace(service: TestService, headers: Headers): Promise<Row> {
  await startSession(service, {}, headers);
  await service.settled();
  return row(service, 'select ip, country, region, city, asn from sessions');
}

onBothStores('the address and place of a client behind a trusted proxy', (kind) => {
  const service = useService(kind, { env: { EDGE: 'plain, appengine, cloudfront, vercel, cloudflare' } });
  beforeEach(() => emptyDatabase(service));

  const addresses: [string, Headers, string][] = [
    ['no header: the peer address', {}, '127.0.0.1'],
    [
      'CF-Connecting-IP comes first',
      { 'cf-connecting-ip': '198.51.100.1', 'x-forwarded-for': '198.51.100.2', 'x-real-ip': '198.51.100.3' },
      '198.51.100.1',
    ],
    [
      'else the right-most untrusted entry of X-Forwarded-For',
      { 'x-forwarded-for': '198.51.100.9, 198.51.100.2, 10.0.0.1', 'x-real-ip': '198.51.100.3' },
      '198.51.100.2',
    ],
    ['else X-Real-IP', { 'x-real-ip': '198.51.100.3' }, '198.51.100.3'],
    [
      'else X-Real-IP, where all entries of X-Forwarded-For are trusted',
      { 'x-forwarded-for': '10.0.0.7, 10.0.0.1', 'x-real-ip': '198.51.100.3' },
      '198.51.100.3',
    ],
    ['else the first of the trusted entries', { 'x-forwarded-for': '10.0.0.7, 10.0.0.1' }, '10.0.0.7'],
    ['IPv4-mapped IPv6 is stored as IPv4', { 'x-real-ip': '::ffff:198.51.100.3' }, '198.51.100.3'],
    [
      'IPv6 is stored compressed, in lower case, without its zone',
      { 'x-real-ip': '2001:0DB8:0:0:0:0:0:00A1%eth0' },
      '2001:db8::a1',
    ],
  ];
  for (const [sentence, headers, ip] of addresses) {
    test(sentence, async () => assert.equal((await storedPlace(service, headers)).ip, ip));
  }

  const place = { ip: '198.51.100.1', country: 'IN', region: 'Maharashtra', city: 'Pune', asn: 55836 };
  const providers: [string, Headers, Partial<typeof place>][] = [
    [
      'Cloudflare',
      { 'cf-ipcountry': 'IN', 'cf-region': 'Maharashtra', 'cf-ipcity': 'Pune', 'cf-asn': '55836' },
      place,
    ],
    [
      'Vercel',
      {
        'x-vercel-ip-country': 'IN',
        'x-vercel-ip-country-region': 'MH',
        'x-vercel-ip-city': 'New%20Pune',
        'x-vercel-ip-as-number': '55836',
      },
      { country: 'IN', city: 'New Pune', asn: 55836 },
    ],
    [
      'CloudFront',
      {
        'cloudfront-viewer-country': 'IN',
        'cloudfront-viewer-country-region-name': 'Maharashtra',
        'cloudfront-viewer-city': 'Pune',
        'cloudfront-viewer-asn': '55836',
      },
      place,
    ],
    [
      'App Engine',
      { 'x-appengine-country': 'IN', 'x-appengine-city': 'pune' },
      { country: 'IN', city: 'pune' },
    ],
    [
      'plain X-Geo',
      { 'x-geo-country': 'IN', 'x-geo-region': 'Maharashtra', 'x-geo-city': 'Pune', 'x-geo-asn': 'AS55836' },
      place,
    ],
  ];
  for (const [provider, headers, expected] of providers) {
    test(`geolocation headers of ${provider} are read`, async () => {
      const stored = await storedPlace(service, { 'x-forwarded-for': place.ip, ...headers });
      assert.deepEqual({ ...stored, ...expected }, stored);
    });
  }

  test('of several providers the first counts', async () => {
    const { country } = await storedPlace(service, {
      'x-geo-country': 'BR',
      'cloudfront-viewer-country': 'JP',
      'cf-ipcountry': 'IN',
    });
    assert.equal(country, 'IN');
  });

  test('no header: country and ASN come from the bundled IP database', async () => {
    assert.deepEqual(await storedPlace(service, { 'x-forwarded-for': '49.36.0.1' }), {
      ip: '49.36.0.1',
      country: 'IN',
      region: null,
      city: null,
      asn: 55836,
    });
  });

  test('a place name that has to be cut inside a character ends in U+FFFD', async () => {
    const city = `${'a'.repeat(127)}😀`;
    const stored = await storedPlace(service, {
      'x-vercel-ip-country': 'IN',
      'x-vercel-ip-city': encodeURIComponent(city),
    });
    assert.equal(stored.city, `${'a'.repeat(127)}\uFFFD`);
  });
});

onBothStores('39: CF-Connecting-IP and the like from a client behind a plain proxy, no EDGE set', (kind) => {
  const service = useService(kind, {
    env: { ...CAPTURE_ENV, EDGE: '', TRACK_RATE_LIMIT_PER_MINUTE: '3' },
  });
  beforeEach(() => emptyDatabase(service, { except: ['integrations'] }));

  const forged = {
    'cf-connecting-ip': '49.36.0.1',
    'true-client-ip': '49.36.0.1',
    'x-vercel-forwarded-for': '49.36.0.1',
    'cloudfront-viewer-address': '49.36.0.1:443',
    'x-appengine-user-ip': '49.36.0.1',
    'cf-ipcountry': 'IN',
    'x-vercel-ip-country': 'IN',
    'x-geo-country': 'IN',
    'x-geo-city': 'Pune',
    'x-geo-asn': '55836',
  };

  test('the block list goes by the address that the proxy names', async () => {
    await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: '198.51.100.3' } });
    await assertCaptured(sendFromServer(service, {}, { ip: '198.51.100.3', headers: forged }));
    assert.deepEqual(await rows(service, 'select ip from set_aside_leads'), [{ ip: '198.51.100.3' }]);
    await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: forged['cf-connecting-ip'] } });
    await assertCaptured(sendFromServer(service, {}, { ip: '198.51.100.4', headers: forged }));
    assert.equal((await rows(service, 'select lead_id from leads')).length, 1);
  });

  test('the rate limit goes by it too, whatever the client says', async () => {
    const statuses: number[] = [];
    for (let n = 1; n <= 5; n += 1) {
      const headers = { 'x-forwarded-for': '198.51.100.5', 'cf-connecting-ip': `49.36.0.${n}` };
      statuses.push((await service.post('/track/session/start', aStart(), headers)).status);
    }
    assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
  });

  test('headers of an edge that is not named are not believed', async () => {
    const stored = await storedPlace(service, { ...forged, 'x-forwarded-for': '198.51.100.2' });
    assert.deepEqual(stored, { ip: '198.51.100.2', country: 'XX', region: null, city: null, asn: null });
  });

  test('an admin sees where requests come from and what is ignored', async () => {
    const headers = { 'cf-connecting-ip': '49.36.0.1', 'x-forwarded-for': '198.51.100.2' };
    assert.deepEqual(await service.get('/analytics/connection', headers), {
      peer: '127.0.0.1',
      is_trusted_proxy: true,
      address: '198.51.100.2',
      header: 'x-forwarded-for',
      ignored_headers: ['cf-connecting-ip'],
      edges: [],
    });
  });
});

onBothStores('a client whose peer is no trusted proxy', (kind) => {
  const service = useService(kind, { env: { TRUSTED_PROXIES: '10.0.0.0/8' } });

  test('forwarding and geolocation headers are not believed', async () => {
    const stored = await storedPlace(service, {
      'cf-connecting-ip': '198.51.100.1',
      'x-forwarded-for': '198.51.100.1',
      'x-real-ip': '198.51.100.1',
      'cf-ipcountry': 'IN',
      'x-geo-city': 'Pune',
    });
    assert.deepEqual(stored, { ip: '127.0.0.1', country: 'XX', region: null, city: null, asn: null });
  });
});
