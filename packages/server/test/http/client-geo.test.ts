import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EDGE_NAMES, EDGES } from '../../src/domain/edges.ts';
import type { Geo, IpDatabase } from '../../src/domain/geo.ts';
import { makeClientGeo } from '../../src/http/client-geo.ts';

const IP = '203.0.113.7';
const DATABASE: IpDatabase = {
  lookup: (ip) => (ip === IP ? { country: 'FR', asn: 3215 } : { country: null, asn: null }),
  isHosting: () => false,
};
const clientGeo = makeClientGeo(DATABASE, EDGE_NAMES);

function geo(known: Partial<Geo>): Geo {
  const database = { country: 'FR', asn: 3215 };
  return { region: null, regionCode: null, city: null, timezone: null, ...database, ...known };
}

test('without headers country and network come from the database', () => {
  assert.deepEqual(clientGeo(IP, true, {}), geo({}));
  assert.deepEqual(clientGeo('10.0.0.1', true, {}), geo({ country: null, asn: null }));
});

test('headers of an untrusted peer are not believed', () => {
  assert.deepEqual(clientGeo(IP, false, { 'cf-ipcountry': 'DE', 'cf-ipcity': 'Berlin' }), geo({}));
});

test('headers of an edge are believed only where it is named', () => {
  const headers = Object.fromEntries(
    EDGE_NAMES.flatMap((name) => Object.values(EDGES[name].geo)).map((header) => [header, 'DE']),
  );
  assert.deepEqual(makeClientGeo(DATABASE, [])(IP, true, headers), geo({}));
  const mixed = { 'cf-ipcountry': 'DE', 'x-vercel-ip-country': 'BR' };
  assert.equal(makeClientGeo(DATABASE, ['vercel'])(IP, true, mixed).country, 'BR');
  assert.equal(makeClientGeo(DATABASE, ['appengine', 'plain'])(IP, true, mixed).country, 'FR');
});

test('of a country or network that is sent twice the last counts', () => {
  const headers = { 'cf-ipcountry': 'BR, DE', 'cf-asn': '28573, 3320' };
  assert.deepEqual(clientGeo(IP, true, headers), geo({ country: 'DE', asn: 3320 }));
});

test('Cloudflare headers are read', () => {
  const headers = {
    'cf-ipcountry': 'US',
    'cf-region': 'Texas',
    'cf-region-code': 'TX',
    'cf-ipcity': 'Austin',
    'cf-timezone': 'America/Chicago',
    'cf-asn': '7922',
  };
  assert.deepEqual(clientGeo(IP, true, headers), {
    country: 'US',
    region: 'Texas',
    regionCode: 'TX',
    city: 'Austin',
    timezone: 'America/Chicago',
    asn: 7922,
  });
});

test('Vercel headers are read and the city is percent-decoded', () => {
  const headers = {
    'x-vercel-ip-country': 'BR',
    'x-vercel-ip-country-region': 'SP',
    'x-vercel-ip-city': 'S%C3%A3o%20Paulo',
    'x-vercel-ip-timezone': 'America/Sao_Paulo',
    'x-vercel-ip-as-number': '28573',
  };
  const known = {
    country: 'BR',
    regionCode: 'SP',
    city: 'São Paulo',
    timezone: 'America/Sao_Paulo',
    asn: 28573,
  };
  assert.deepEqual(clientGeo(IP, true, headers), geo(known));
});

test('CloudFront headers are read and the city is percent-decoded', () => {
  const headers = {
    'cloudfront-viewer-country': 'DE',
    'cloudfront-viewer-country-region': 'BY',
    'cloudfront-viewer-country-region-name': 'Bavaria',
    'cloudfront-viewer-city': 'N%C3%BCrnberg',
    'cloudfront-viewer-time-zone': 'Europe/Berlin',
    'cloudfront-viewer-asn': '3320',
  };
  assert.deepEqual(clientGeo(IP, true, headers), {
    country: 'DE',
    region: 'Bavaria',
    regionCode: 'BY',
    city: 'Nürnberg',
    timezone: 'Europe/Berlin',
    asn: 3320,
  });
});

test('App Engine headers are read, and its question mark is nothing', () => {
  const headers = {
    'x-appengine-country': 'US',
    'x-appengine-region': 'ca',
    'x-appengine-city': 'mountain view',
  };
  const known = { country: 'US', regionCode: 'CA', city: 'mountain view' };
  assert.deepEqual(clientGeo(IP, true, headers), geo(known));
  assert.deepEqual(clientGeo(IP, true, { 'x-appengine-country': 'ZZ', 'x-appengine-city': '?' }), geo({}));
});

test('plain headers are read', () => {
  const headers = {
    'x-geo-country': 'in',
    'x-geo-region': 'Karnataka',
    'x-geo-city': ' Bengaluru ',
    'x-geo-timezone': 'Asia/Kolkata',
    'x-geo-asn': 'AS55836',
  };
  const known = {
    country: 'IN',
    region: 'Karnataka',
    city: 'Bengaluru',
    timezone: 'Asia/Kolkata',
    asn: 55836,
  };
  assert.deepEqual(clientGeo(IP, true, headers), geo(known));
});

test('providers are not mixed: the first that names a country is the only one read', () => {
  const headers = {
    'cf-ipcity': 'Berlin',
    'x-vercel-ip-country': 'BR',
    'x-geo-country': 'IN',
    'x-geo-city': 'Pune',
  };
  assert.deepEqual(clientGeo(IP, true, headers), geo({ country: 'BR' }));
});

test('when none names a country the first with any header is read', () => {
  const headers = { 'cf-ipcountry': ' ', 'x-vercel-ip-city': 'Lyon', 'x-geo-city': 'Pune' };
  assert.deepEqual(clientGeo(IP, true, headers), geo({ city: 'Lyon' }));
});

test('a country that is unknown or no country comes from the database', () => {
  for (const country of ['XX', 'T1', 'ZZ', 'xx', 'Germany', 'D', '42']) {
    assert.equal(clientGeo(IP, true, { 'cf-ipcountry': country }).country, 'FR', country);
  }
});

test('a network number that is none comes from the database', () => {
  for (const asn of ['0', 'AS', '-1', '12.5', '4294967296', '99999999999', 'DTAG']) {
    assert.equal(clientGeo(IP, true, { 'cf-ipcountry': 'DE', 'cf-asn': asn }).asn, 3215, asn);
  }
  assert.equal(clientGeo(IP, true, { 'cf-asn': 'as3320' }).asn, 3320);
});

test('city names in UTF-8 survive that Node reads headers as Latin-1', () => {
  const sent = Buffer.from('Chía').toString('latin1');
  assert.equal(clientGeo(IP, true, { 'cf-ipcity': sent }).city, 'Chía');
  assert.equal(clientGeo(IP, true, { 'cf-ipcity': 'Chía' }).city, 'Chía');
});

test('values are bounded, rid of control characters and decoded only when that works', () => {
  assert.equal(clientGeo(IP, true, { 'x-geo-city': 'a'.repeat(9999) }).city?.length, 128);
  assert.equal(clientGeo(IP, true, { 'x-vercel-ip-city': 'Ber%00lin%0A' }).city, 'Berlin');
  assert.equal(clientGeo(IP, true, { 'x-vercel-ip-city': '100%' }).city, '100%');
  assert.equal(clientGeo(IP, true, { 'x-geo-city': '100%25' }).city, '100%25');
});
