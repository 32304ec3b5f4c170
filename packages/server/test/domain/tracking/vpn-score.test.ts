import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VPN_SUSPECTED_FROM, type VpnEvidence, vpnScore } from '../../../src/domain/tracking/vpn-score.ts';

const WINDOWS_AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';
const MAC_AGENT =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15';
const IPHONE_AGENT =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148';
const ANDROID_AGENT = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile';
const LINUX_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const CHROMEBOOK_AGENT = 'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/140.0';

function evidence(found: Partial<VpnEvidence> = {}): VpnEvidence {
  return {
    hosting: false,
    country: 'DE',
    timezone: 'Europe/Berlin',
    networksLastDay: 1,
    platform: 'Win32',
    userAgent: WINDOWS_AGENT,
    ...found,
  };
}

test('an ordinary visitor scores nothing', () => {
  assert.equal(vpnScore(evidence()), 0);
});

test('each kind of evidence has its points', () => {
  assert.equal(vpnScore(evidence({ hosting: true })), 50);
  assert.equal(vpnScore(evidence({ timezone: 'Asia/Kolkata' })), 30);
  assert.equal(vpnScore(evidence({ networksLastDay: 3 })), 20);
  assert.equal(vpnScore(evidence({ platform: 'MacIntel' })), 10);
});

test('all evidence together is not more than 100', () => {
  const all = { hosting: true, timezone: 'Asia/Kolkata', networksLastDay: 9, platform: 'MacIntel' };
  assert.equal(vpnScore(evidence(all)), 100);
});

test('a hosting network is suspected by itself, a timezone only together with networks', () => {
  assert.equal(VPN_SUSPECTED_FROM, 50);
  assert.ok(vpnScore(evidence({ hosting: true })) >= VPN_SUSPECTED_FROM);
  assert.ok(vpnScore(evidence({ timezone: 'Asia/Kolkata', platform: 'MacIntel' })) < VPN_SUSPECTED_FROM);
  assert.ok(vpnScore(evidence({ timezone: 'Asia/Kolkata', networksLastDay: 3 })) >= VPN_SUSPECTED_FROM);
});

test('two networks in a day are a phone coming home', () => {
  assert.equal(vpnScore(evidence({ networksLastDay: 2 })), 0);
});

test('old and new names of a timezone are the same', () => {
  const pairs: readonly (readonly [string, string])[] = [
    ['IN', 'Asia/Calcutta'],
    ['IN', 'Asia/Kolkata'],
    ['UA', 'Europe/Kiev'],
    ['UA', 'Europe/Kyiv'],
    ['VN', 'Asia/Saigon'],
    ['VN', 'Asia/Ho_Chi_Minh'],
    ['US', 'US/Eastern'],
    ['US', 'America/Los_Angeles'],
    ['DE', 'Europe/Busingen'],
    ['DE', 'europe/berlin'],
  ];
  for (const [country, timezone] of pairs)
    assert.equal(vpnScore(evidence({ country, timezone })), 0, timezone);
});

test('a timezone of another country scores, and so does none of any country', () => {
  for (const timezone of ['America/New_York', 'Europe/Paris', 'UTC']) {
    assert.equal(vpnScore(evidence({ timezone })), 30, timezone);
  }
});

test('an unknown country or an invalid timezone never scores', () => {
  for (const timezone of [undefined, '', 'nonsense', 'Europe/Atlantis', 'x'.repeat(100_000)]) {
    assert.equal(vpnScore(evidence({ timezone })), 0);
  }
  for (const country of [null, '', 'QQ', 'de', 'Germany', 'DE-u-rg-uszzzz']) {
    assert.equal(vpnScore(evidence({ country, timezone: 'Asia/Kolkata' })), 0);
  }
});

test('more timezone names than are remembered do no harm', () => {
  for (let i = 0; i < 3000; i++) vpnScore(evidence({ timezone: `Nowhere/${i}` }));
  assert.equal(vpnScore(evidence()), 0);
});

test('a platform that the user agent may stand for scores nothing', () => {
  const plausible: readonly (readonly [string, string])[] = [
    ['Windows', WINDOWS_AGENT],
    ['MacIntel', MAC_AGENT],
    ['macOS', MAC_AGENT],
    ['iPhone', IPHONE_AGENT],
    ['iPhone', MAC_AGENT],
    ['Linux armv81', ANDROID_AGENT],
    ['Linux aarch64', LINUX_AGENT],
    ['Android', ANDROID_AGENT],
    ['Linux x86_64', LINUX_AGENT],
    ['Linux x86_64', CHROMEBOOK_AGENT],
    ['Chrome OS', CHROMEBOOK_AGENT],
  ];
  for (const [platform, userAgent] of plausible) {
    assert.equal(vpnScore(evidence({ platform, userAgent })), 0, `${platform} ${userAgent}`);
  }
});

test('a platform that contradicts the user agent scores', () => {
  const contradictions: readonly (readonly [string, string])[] = [
    ['Win32', MAC_AGENT],
    ['Win32', IPHONE_AGENT],
    ['Linux x86_64', WINDOWS_AGENT],
    ['Linux x86_64', IPHONE_AGENT],
    ['MacIntel', ANDROID_AGENT],
    ['iPhone', ANDROID_AGENT],
  ];
  for (const [platform, userAgent] of contradictions) {
    assert.equal(vpnScore(evidence({ platform, userAgent })), 10, `${platform} ${userAgent}`);
  }
});

test('an unknown platform or user agent contradicts nothing', () => {
  assert.equal(vpnScore(evidence({ platform: undefined })), 0);
  assert.equal(vpnScore(evidence({ platform: 'PlayStation 5' })), 0);
  assert.equal(vpnScore(evidence({ userAgent: undefined })), 0);
  assert.equal(vpnScore(evidence({ userAgent: 'curl/8.9.0' })), 0);
});
