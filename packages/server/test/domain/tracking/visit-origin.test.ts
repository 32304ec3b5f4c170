import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHANNELS } from '@leadtrail/contract/channels';
import fc from 'fast-check';
import { campaignParams, visitedCampaign } from '../../../src/domain/tracking/campaign-params.ts';
import { makeReadOrigin } from '../../../src/domain/tracking/read-origin.ts';

const SITES = [
  { site_key: 'quarter', domains: ['riverside.example', '*.riverside.example'] },
  { site_key: 'tower', domains: ['tower.example', 'localhost:3000'] },
];
const readOrigin = makeReadOrigin({ sites: SITES, portalDomains: ['immo.example', 'homes24.example'] });

function originOf(query: string, referrer: string | null = null) {
  const page = `https://www.riverside.example/flats${query}`;
  return readOrigin({ page, referrer, params: campaignParams(page), siteKey: '' }).origin;
}

type Row = [query: string, referrer: string | null, source: string, medium: string, channel: string];

const ORIGINS: readonly Row[] = [
  ['', null, '(direct)', '(none)', 'Direct'],
  ['', '', '(direct)', '(none)', 'Direct'],
  ['?page=2', 'not an address', '(direct)', '(none)', 'Direct'],

  // The site's own domains are never a referrer.
  ['', 'https://riverside.example/', '(direct)', '(none)', 'Direct'],
  ['', 'https://www.riverside.example/flats', '(direct)', '(none)', 'Direct'],
  ['', 'https://blog.riverside.example/', '(direct)', '(none)', 'Direct'],
  ['', 'https://riverside.example.org/', 'riverside.example.org', 'referral', 'Referral'],

  // The referrer, where nothing else says.
  ['', 'https://www.google.de/', 'google.de', 'organic', 'Organic search'],
  ['', 'https://google.co.uk/search?q=flats', 'google.co.uk', 'organic', 'Organic search'],
  ['', 'https://duckduckgo.com/', 'duckduckgo.com', 'organic', 'Organic search'],
  ['', 'https://de.search.yahoo.com/', 'de.search.yahoo.com', 'organic', 'Organic search'],
  ['', 'https://yandex.ru/', 'yandex.ru', 'organic', 'Organic search'],
  [
    '',
    'android-app://com.google.android.googlequicksearchbox/',
    'com.google.android.googlequicksearchbox',
    'organic',
    'Organic search',
  ],
  ['', 'https://l.facebook.com/', 'l.facebook.com', 'social', 'Social'],
  ['', 'https://m.facebook.com/', 'm.facebook.com', 'social', 'Social'],
  ['', 'https://t.co/abc', 't.co', 'social', 'Social'],
  ['', 'https://x.com/', 'x.com', 'social', 'Social'],
  ['', 'https://de.linkedin.com/', 'de.linkedin.com', 'social', 'Social'],
  ['', 'https://mail.google.com/', 'mail.google.com', 'referral', 'E-mail'],
  ['', 'https://sites.google.com/', 'sites.google.com', 'referral', 'Referral'],
  ['', 'https://news.example/article', 'news.example', 'referral', 'Referral'],
  ['', 'https://mygoogle.example/', 'mygoogle.example', 'referral', 'Referral'],
  ['', 'https://www.immo.example/expose/1', 'immo.example', 'referral', 'Portal'],
  ['', 'https://m.immo.example/', 'm.immo.example', 'referral', 'Portal'],
  ['', 'https://notimmo.example/', 'notimmo.example', 'referral', 'Referral'],

  // Click ids come before the referrer.
  ['?gclid=abc', null, 'google', 'cpc', 'Paid search'],
  ['?gclid=abc', 'https://www.google.com/', 'google', 'cpc', 'Paid search'],
  ['?msclkid=abc', 'https://www.bing.com/', 'bing', 'cpc', 'Paid search'],
  ['?fbclid=abc', 'https://l.instagram.com/', 'facebook', 'social', 'Social'],
  ['?fbclid=a&gclid=b', null, 'google', 'cpc', 'Paid search'],
  ['?gclid=', null, '(direct)', '(none)', 'Direct'],
  ['#?gclid=abc', null, '(direct)', '(none)', 'Direct'],

  // Campaign parameters come first.
  ['?utm_source=Google&utm_medium=CPC', null, 'google', 'cpc', 'Paid search'],
  ['?utm_source=google&utm_medium=ppc&gclid=x', 'https://news.example/', 'google', 'ppc', 'Paid search'],
  ['?utm_source=facebook&utm_medium=cpc', null, 'facebook', 'cpc', 'Paid social'],
  ['?utm_source=ig&utm_medium=paid', 'https://l.instagram.com/', 'ig', 'paid', 'Paid social'],
  ['?utm_source=meta&utm_medium=paid_social', null, 'meta', 'paid_social', 'Paid social'],
  ['?utm_source=agency&utm_medium=paidsocial', null, 'agency', 'paidsocial', 'Paid social'],
  ['?utm_source=agency&utm_medium=paidsearch', null, 'agency', 'paidsearch', 'Paid search'],
  ['?utm_source=agency&utm_medium=cpc', null, 'agency', 'cpc', 'Paid search'],
  ['?utm_source=linkedin.com&utm_medium=cpm', null, 'linkedin.com', 'cpm', 'Paid social'],
  ['?utm_source=newspaper&utm_medium=display', null, 'newspaper', 'display', 'Display'],
  ['?utm_source=newspaper&utm_medium=banner', null, 'newspaper', 'banner', 'Display'],
  ['?utm_source=newspaper&utm_medium=cpm', null, 'newspaper', 'cpm', 'Display'],
  ['?utm_source=june&utm_medium=email', null, 'june', 'email', 'E-mail'],
  ['?utm_source=june&utm_medium=E-Mail', null, 'june', 'e-mail', 'E-mail'],
  ['?utm_source=newsletter', null, 'newsletter', '(none)', 'E-mail'],
  ['?utm_source=google&utm_medium=organic', null, 'google', 'organic', 'Organic search'],
  ['?utm_source=google', null, 'google', '(none)', 'Organic search'],
  ['?utm_source=facebook', null, 'facebook', '(none)', 'Social'],
  ['?utm_source=facebook&gclid=x', null, 'facebook', 'cpc', 'Paid social'],
  ['?utm_source=buffer&utm_medium=social', null, 'buffer', 'social', 'Social'],
  ['?utm_source=buffer&utm_medium=social-media', null, 'buffer', 'social-media', 'Social'],
  ['?utm_source=flyer&utm_medium=qr', null, 'flyer', 'qr', 'Referral'],
  ['?utm_source=homes24&utm_medium=listing', null, 'homes24', 'listing', 'Portal'],
  ['?utm_source=homes24.example&utm_medium=cpc', null, 'homes24.example', 'cpc', 'Portal'],
  ['?utm_campaign=spring', null, '(direct)', '(none)', 'Referral'],
  ['?utm_medium=email', null, '(direct)', 'email', 'E-mail'],
  ['?UTM_SOURCE=Bing&Utm_Medium=cpc', null, 'bing', 'cpc', 'Paid search'],
];

for (const [query, referrer, source, medium, channel] of ORIGINS) {
  test(`${query || 'no parameters'}, ${referrer ?? 'no referrer'}: ${channel} of ${source}`, () => {
    const origin = originOf(query, referrer);
    assert.deepEqual(
      { source: origin.source, medium: origin.medium, channel: origin.channel },
      { source, medium, channel },
    );
  });
}

test('campaign, term and content stay as they are written', () => {
  const { campaign, term, content, click_id } = originOf(
    '?utm_source=google&utm_campaign=Spring+%C3%9Cbersicht&utm_term=flat%20to%20buy&utm_content=A%2FB&gclid=x',
  );
  assert.deepEqual(
    { campaign, term, content, click_id },
    { campaign: 'Spring Übersicht', term: 'flat to buy', content: 'A/B', click_id: 'gclid' },
  );
  assert.deepEqual(originOf('?utm_source=x').campaign, '(none)');
});

test('what cannot be decoded or stored is read as well as it can be', () => {
  assert.equal(originOf('?utm_source=100%').source, '100%');
  assert.equal(originOf('?utm_source=a%00b').source, 'a\u{FFFD}b');
  assert.equal(originOf('?utm_source=one&utm_source=two').source, 'one');
  assert.equal(originOf(`?utm_source=${'x'.repeat(1000)}`).source.length, 512);
});

test('private values are not kept, but that there was a click id is', () => {
  const address = 'https://a.example/?utm_term=jo%40b.example&utm_source=Mail&gclid=abc';
  assert.deepEqual(visitedCampaign(address, []), { utm_source: 'Mail', gclid: 'abc' });
  assert.deepEqual(visitedCampaign(address, ['gclid']), { utm_source: 'Mail', gclid: '' });
  // Its first 512 characters end within the e-mail address.
  const long = `https://a.example/?utm_source=Mail&utm_term=${'x'.repeat(507)}+jo@b.example`;
  assert.deepEqual(visitedCampaign(long, []), { utm_source: 'Mail' });
  assert.equal(visitedCampaign(`https://a.example/?utm_term=${'x'.repeat(600)}`, []).utm_term?.length, 512);
  const page = 'https://riverside.example/';
  assert.equal(
    readOrigin({ page, referrer: null, params: { gclid: '' }, siteKey: '' }).origin.channel,
    'Paid search',
  );
});

test('a visit belongs to the site that the tracker names, else to that of the page', () => {
  const siteOf = (page: string, siteKey = '') =>
    readOrigin({ page, referrer: null, params: {}, siteKey }).site_key;
  assert.equal(siteOf('https://riverside.example/flats?x=1'), 'quarter');
  assert.equal(siteOf('https://www.tower.example'), 'tower');
  assert.equal(siteOf('http://localhost:3000/#top'), 'tower');
  assert.equal(siteOf('http://localhost:3001/'), '');
  assert.equal(siteOf('https://elsewhere.example/'), '');
  assert.equal(siteOf('https://riverside.example/', 'tower'), 'tower');
  assert.equal(siteOf('https://riverside.example/', 'unknown'), 'quarter');
});

test('the own domains are those of the site that the tracker names', () => {
  const { origin } = readOrigin({
    page: 'https://landing.example/',
    referrer: 'https://www.tower.example/',
    params: {},
    siteKey: 'tower',
  });
  assert.equal(origin.channel, 'Direct');
});

test('any address and referrer has a channel, and is direct only where nothing says otherwise', () => {
  fc.assert(
    fc.property(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.option(fc.oneof(fc.webUrl(), fc.string())),
      (page, referrer) => {
        const params = campaignParams(page);
        const { origin } = readOrigin({ page, referrer, params, siteKey: '' });
        assert.ok(CHANNELS.includes(origin.channel));
        assert.equal(
          origin.channel === 'Direct',
          origin.source === '(direct)' && origin.medium === '(none)' && origin.campaign === '(none)',
        );
        assert.deepEqual(readOrigin({ page, referrer, params, siteKey: '' }).origin, origin);
      },
    ),
  );
});
