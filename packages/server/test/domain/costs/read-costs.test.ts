import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCosts, readDay } from '../../../src/domain/costs/read-costs.ts';

const EUR = { currency: 'EUR', pause: async () => undefined };

async function read(text: string, options: Partial<Parameters<typeof readCosts>[1]> = {}) {
  const found = await readCosts(text, { ...EUR, ...options });
  assert.ok(typeof found !== 'string', String(found));
  return found;
}

test('a plain file has a line for each day and campaign', async () => {
  const found = await read(
    'date,source,medium,campaign,amount,site,currency,clicks,impressions\r\n2026-03-01,Google,CPC,Spring,12.50,site-a,EUR,3,100\r\n',
  );
  assert.equal(found.format.name, 'plain');
  assert.deepEqual(found.costs, [
    {
      day: '2026-03-01',
      site_key: 'site-a',
      source: 'google',
      medium: 'cpc',
      campaign: 'Spring',
      amount_micros: 12_500_000,
      clicks: 3,
      impressions: 100,
    },
  ]);
});

test('an export of Google Ads is known by its headers, below its title and in any language of it', async () => {
  const english = await read(
    'Campaign report\n"March 1, 2026 - March 2, 2026"\nDay,Campaign,Currency code,Cost,Clicks,Impr.\n2026-03-01,Spring,EUR,"1,234.56",10,"2,000"\nTotal: Account,,EUR,"1,234.56",10,"2,000"\n',
  );
  assert.equal(english.format.name, 'google_ads');
  assert.deepEqual(
    english.costs.map(({ source, medium, amount_micros }) => [source, medium, amount_micros]),
    [['google', 'cpc', 1_234_560_000]],
  );
  assert.deepEqual(english.skipped, [{ line: 5, reason: 'a total' }]);
  const german = await read(
    'Tag\tKampagne\tWährungscode\tKosten\tKlicks\tImpr.\n01.03.2026\tFrühling\tEUR\t1.234,56\t10\t2.000\n',
  );
  assert.deepEqual(
    german.costs.map(({ day, campaign, amount_micros }) => [day, campaign, amount_micros]),
    [['2026-03-01', 'Frühling', 1_234_560_000]],
  );
});

test('an export of Meta adds up the ads of a campaign, and has its currency in the header', async () => {
  const file =
    'Reporting starts,Reporting ends,Campaign name,Ad set name,Amount spent (EUR),Link clicks,Impressions\n2026-03-01,2026-03-01,Spring,A,10.1,5,100\n2026-03-01,2026-03-01,spring,B,2.4,1,50\n';
  const found = await read(file);
  assert.equal(found.format.name, 'meta_ads');
  assert.deepEqual(found.columns, {
    date: 'Reporting starts',
    campaign: 'Campaign name',
    amount: 'Amount spent (EUR)',
    clicks: 'Link clicks',
    impressions: 'Impressions',
  });
  assert.deepEqual(
    found.costs.map(({ source, medium, amount_micros, clicks }) => [source, medium, amount_micros, clicks]),
    [['facebook', 'paid_social', 12_500_000, 6]],
  );
  assert.deepEqual(
    (await read(file.replace('EUR', 'USD'))).skipped.map(({ reason }) => reason),
    ['currency is USD, not EUR', 'currency is USD, not EUR'],
  );
});

const SEVERAL_DAYS = 'covers several days: export by day';

test('a line of Meta that covers several days is left out, whichever of its ends is the date', async () => {
  const file =
    'Reporting starts,Reporting ends,Campaign name,Amount spent (EUR)\n2026-03-01,2026-03-31,Spring,310\n2026-03-01,2026-03-01,Spring,10\n2026-03-02,,Spring,5\n';
  const found = await read(file);
  assert.deepEqual(
    found.costs.map(({ day, amount_micros }) => [day, amount_micros]),
    [
      ['2026-03-01', 10_000_000],
      ['2026-03-02', 5_000_000],
    ],
  );
  assert.deepEqual(found.skipped, [{ line: 2, reason: SEVERAL_DAYS }]);
  const named = { date: 'Reporting ends', amount: 'Amount spent (EUR)', campaign: 'Campaign name' };
  assert.deepEqual((await read(file, { mapping: named })).skipped[0], { line: 2, reason: SEVERAL_DAYS });
  const german = await read(
    'Name der Kampagne;Ausgegebener Betrag (EUR);Beginn des Berichtszeitraums;Ende des Berichtszeitraums\nFrühling;310;01.03.2026;31.03.2026\n',
  );
  assert.deepEqual([german.costs, german.skipped], [[], [{ line: 2, reason: SEVERAL_DAYS }]]);
});

test('an export of Meta by day is read by it, although each line has the period of the report', async () => {
  for (const name of ['Day', 'Tag']) {
    const { costs, skipped } = await read(
      `Reporting starts,Reporting ends,${name},Campaign name,Amount spent (EUR)\n2026-03-01,2026-03-31,2026-03-07,Spring,10\n`,
    );
    assert.deepEqual([costs.map(({ day }) => day), skipped], [['2026-03-07'], []]);
  }
});

test('a line whose date is a range of days is left out', async () => {
  const ranges = ['10/4/2026 - 10/10/2026', '2026-10-04 - 2026-10-10', '4.10.2026–10.10.2026'];
  for (const range of ranges) {
    const { costs, skipped } = await read(
      `Time period,Campaign name,Spend\n${range},Spring,70\n10/4/2026,Spring,10\n10/5/2026 - 10/5/2026,Spring,5\n`,
    );
    assert.deepEqual(skipped, [{ line: 2, reason: SEVERAL_DAYS }], range);
    assert.deepEqual(
      costs.map(({ day }) => day),
      ['2026-10-04', '2026-10-05'],
    );
  }
});

test('an export of Microsoft has American dates', async () => {
  const found = await read(
    'Gregorian date,Campaign name,Currency code,Spend,Clicks,Impressions\n3/1/2026,Spring,EUR,7.25,2,30\n',
  );
  assert.equal(found.format.name, 'microsoft_ads');
  assert.deepEqual(
    found.costs.map(({ day, source }) => [day, source]),
    [['2026-03-01', 'bing']],
  );
});

test('a column that is named wins over the guess', async () => {
  const found = await read('When,What,Paid\n2026-03-01,Spring,5\n', {
    mapping: { date: 'when', campaign: 'What', amount: 'Paid' },
  });
  assert.deepEqual(found.columns, { date: 'When', campaign: 'What', amount: 'Paid' });
  assert.match(
    String(await readCosts('date,amount\n', { ...EUR, mapping: { site: 'Place' } })),
    /no column Place for site/,
  );
});

test('lines that name no source and medium have those that the person names', async () => {
  const file = 'Start Date,Campaign Name,Total Spent,Clicks\n2026-03-01,Spring,5,1\n';
  const { costs } = await read(file, {
    mapping: { date: 'Start Date', campaign: 'Campaign Name', amount: 'Total Spent' },
    usual: { source: 'LinkedIn', medium: 'paid_social' },
  });
  assert.deepEqual(
    costs.map(({ source, medium, campaign }) => [source, medium, campaign]),
    [['linkedin', 'paid_social', 'Spring']],
  );
  const named = await read('date,source,amount\n2026-03-01,bing,5\n2026-03-01,,5\n', {
    usual: { source: 'linkedin' },
  });
  assert.deepEqual(
    named.costs.map(({ source, medium }) => [source, medium]),
    [
      ['bing', '(none)'],
      ['linkedin', '(none)'],
    ],
  );
});

test('lines that make no sense are left out with the reason; a file without columns is refused', async () => {
  const found = await read(
    'date,amount,currency,clicks\n2026-02-30,1,,\n2026-03-01,x,,\n2026-03-01,-1,,\n2026-03-01,1,USD,\n2026-03-01,1,,many\n2026-03-01,1,,\n',
  );
  assert.deepEqual(found.skipped, [
    { line: 2, reason: 'date is not a day' },
    { line: 3, reason: 'amount is not a sum of money' },
    { line: 4, reason: 'amount is not a sum of money' },
    { line: 5, reason: 'currency is USD, not EUR' },
    { line: 6, reason: 'clicks is not a number' },
  ]);
  assert.equal(found.costs.length, 1);
  assert.match(String(await readCosts('hello\n', EUR)), /no line of it has the columns date and amount/);
});

test('a line that makes the sum of its day and campaign too large is left out', async () => {
  const dear = '2026-03-01,IDR,1000000000,1,1\n'.repeat(10);
  const clicked = '2026-03-02,IDR,1,9007199254740991,1\n2026-03-02,IDR,1,1,1\n';
  const { costs, skipped } = await read(`date,currency,amount,clicks,impressions\n${dear}${clicked}`, {
    currency: 'IDR',
  });
  assert.deepEqual(
    costs.map(({ amount_micros, clicks, impressions }) => [amount_micros, clicks, impressions]),
    [
      [9e15, 9, 9],
      [1e6, Number.MAX_SAFE_INTEGER, 1],
    ],
  );
  const reason = 'the sum of its day and campaign is too large';
  assert.deepEqual(skipped, [
    { line: 11, reason },
    { line: 13, reason },
  ]);
});

test('a sum with three decimals is one where the other sums of the file have such decimals', async () => {
  const sums = async (...amounts: string[]) => {
    const lines = amounts.map((amount, i) => `2026-03-0${i + 1};"${amount}";2.000`);
    const { costs, skipped } = await read(`date;amount;impressions\n${lines.join('\n')}\n`);
    assert.deepEqual(skipped, []);
    assert.ok(costs.every(({ impressions }) => impressions === 2000));
    return costs.map(({ amount_micros }) => amount_micros / 1e6);
  };
  assert.deepEqual(await sums('12.345', '7.5', '1,000'), [12.345, 7.5, 1000]);
  assert.deepEqual(await sums('12.345', '7,5', '1,250'), [12_345, 7.5, 1.25]);
  assert.deepEqual(await sums('12.345', '--', '7 EUR'), [12_345, 0, 7]);
});

test('a sum in another currency is left out, wherever the currency stands', async () => {
  const { skipped } = await read('date,amount\n2026-03-01,5 USD\n2026-03-02,5 EUR\n');
  assert.deepEqual(skipped, [{ line: 2, reason: 'amount is not a sum of money' }]);
});

test('days with slashes have the month first unless a line of the file shows otherwise', async () => {
  const days = async (...dates: string[]) => {
    const { costs, skipped } = await read(`date,amount\n${dates.map((date) => `${date},1`).join('\n')}\n`);
    return [...costs.map(({ day }) => day), ...skipped.map(({ reason }) => reason)];
  };
  assert.deepEqual(await days('03/02/2026', '04/02/2026'), ['2026-03-02', '2026-04-02']);
  assert.deepEqual(await days('03/02/2026', '28/02/2026'), ['2026-02-03', '2026-02-28']);
  assert.deepEqual(await days('03/02/2026', '02/28/2026', '28/02/2026'), [
    '2026-03-02',
    '2026-02-28',
    'date is not a day',
  ]);
});

test('days are read as people write them', () => {
  assert.deepEqual(
    ['2026-3-1', '1.3.2026', '3/1/2026', '2026-13-01'].map((text) => readDay(text)),
    ['2026-03-01', '2026-03-01', '2026-03-01', null],
  );
});

test('a file of nothing but separators, quotes or lines is refused without taking long', async () => {
  for (const text of [',', '"', '\n', '""', 'a,"\n'].map((part) => part.repeat(1_000_000))) {
    assert.match(String(await readCosts(text, EUR)), /no line of it has the columns date and amount/);
  }
});
