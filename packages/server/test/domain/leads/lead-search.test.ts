import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readPhone } from '../../../src/domain/leads/contact.ts';
import {
  readSearch,
  searchLines,
  searchText,
  storedSearchLines,
  withSearchText,
} from '../../../src/domain/leads/lead-search.ts';

type Searched = Parameters<typeof storedSearchLines>[0];

const textOf = (...stored: Parameters<typeof storedSearchLines>) => searchText(storedSearchLines(...stored));

function aLead(given: Partial<Searched> = {}): Searched {
  return {
    contact_name: '',
    contact_email: '',
    contact_phone: '',
    contact_country_code: '',
    contact_country_name: '',
    project_name: '',
    visitor_id: '',
    ...given,
  };
}

function finds(q: string, lead: Searched): boolean {
  const text = textOf(lead);
  const search = readSearch(q);
  return search.length === 0 || search.some((texts) => texts.every((each) => text.includes(each)));
}

const named = (contact_name: string) => aLead({ contact_name });

test('a search looks through name, email, phone, project and visitor_id', () => {
  const lead = aLead({
    contact_name: 'Jörg MÜLLER',
    contact_email: 'Joerg@Example.org',
    contact_phone: '030 901820',
    contact_country_code: '+49',
    project_name: 'Harbour View',
    visitor_id: 'V-1',
  });
  const text = 'jorg muller\njoerg@example.org\n030 901820\n+4930901820\nharbour view\nv-1';
  assert.equal(textOf(lead), text);
  assert.equal(searchText(searchLines(lead, readPhone('030 901820', '+49', null), {})), text);
  const custom = { wohnung: 'Top\n12', long: 'x'.repeat(4096), stairs: 'Stiege É' };
  assert.equal(textOf(lead, custom), `${text}\ntop 12`);
  assert.equal(textOf(lead, { stairs: 'Stiege É' }), `${text}\nstiege e`);
});

test('a lead is found by everything that its submissions said, each once', () => {
  const first = { contact_name: 'Ada', contact_email: 'ada@example.org', project_name: 'Riverside' };
  const more = { ...first, contact_name: 'Ada King', contact_phone: '12-34', visitor_id: 'v-2' };
  const text = withSearchText(
    textOf(aLead(first), { floor: 'Third' }),
    storedSearchLines(aLead(more), { floor: 'Third', view: 'River' }),
  );
  assert.equal(text, 'ada\nada@example.org\nriverside\nthird\nada king\n12-34\nv-2\nriver');
});

test('custom fields keep no person from being found, and are taken in while there is room', () => {
  let text = textOf(aLead({ contact_name: 'Ada' }));
  const follow = (number: number, custom: Record<string, string>) => {
    text = withSearchText(text, storedSearchLines(aLead({ contact_email: `${number}@example.org` }), custom));
  };
  for (let number = 0; number < 50; number++) follow(number, { about: `${number}`.repeat(1000) });
  assert.ok(text.length < 10_000, `${text.length}`);
  for (let number = 0; number < 50; number++)
    assert.ok(text.includes(`\n${number}@example.org`), `${number}`);
  assert.ok(text.includes('000'));
  assert.ok(!text.includes('494949'));
});

test('what a lead is found by does not grow for ever', () => {
  let text = textOf(aLead({ contact_name: 'Ada' }));
  for (let number = 0; number < 500; number++) {
    const contact_name = `${number}-${'n'.repeat(200)}`;
    text = withSearchText(text, storedSearchLines(aLead({ contact_name })));
  }
  assert.ok(text.length > 60_000 && text.length <= 65_536, `${text.length}`);
});

test('every word is searched for, in any order', () => {
  for (const q of ['carter daniel', ' DANIEL\tcart ', 'iel arte dan', 'Daniel Carter']) {
    assert.ok(finds(q, named('Daniel Carter')), q);
  }
  assert.ok(!finds('daniel smith', named('Daniel Carter')));
  assert.ok(finds('muller riverside', aLead({ contact_name: 'Ida Müller', project_name: 'Riverside Park' })));
  assert.deepEqual(readSearch(' \n'), []);
});

test('a word of one or two letters stands beside what it was typed beside', () => {
  for (const q of ['Daniel C', 'l ca', 'r', 'er']) assert.ok(finds(q, named('Daniel Carter')), q);
  for (const q of ['carter d', 'daniel e', 'd r']) assert.ok(!finds(q, named('Daniel Carter')), q);
  assert.ok(!finds('guest 0', aLead({ contact_name: 'Guest 1', contact_phone: '98765 43210' })));
});

test('letters with an accent or a form of their own are the same as plain ones', () => {
  for (const [name, q] of [
    ['Käthe Schäfer', 'kathe schafer'],
    ['Kathe Schafer', 'KÄTHE SCHÄFER'],
    ['Anna Weiß', 'anna weiss'],
    ['ANNA WEISS', 'Weiß'],
    ['WEIẞ', 'weiss'],
    ['Søren Łukasz', 'soren lukasz'],
    ['Đorđe Æbelø', 'dorde aebelo'],
    ['Şükrü Yıldız', 'sukru yildiz'],
    ['İSTANBUL', 'istanbul'],
    ['Nguyễn Thị Ánh', 'nguyen thi anh'],
    ['Алёна', 'алена'],
    ['ΟΔΥΣΣΈΑΣ', 'οδυσσεας'],
    ['οδυσσέας', 'ΈΑΣ'],
    ['O’Neil', "o'neil"],
  ] as const) {
    assert.ok(finds(q, named(name)), `${q} for ${name}`);
  }
});

test('marks that are letters stay', () => {
  assert.ok(finds('कि', named('किरण')));
  assert.ok(!finds('कु', named('किरण')));
  assert.ok(!finds('ตี', named('ตา')));
});

test('a number is stored once where it was typed as it is', () => {
  for (const [contact_phone, lines] of [
    ['+4915100175837', ['+4915100175837']],
    ['+49 151 00175837', ['+49 151 00175837', '+4915100175837']],
    ['8 (495) 123-45-67', ['8 (495) 123-45-67', '+74951234567', '84951234567']],
    ['12-34', ['12-34']],
    ['ask me', ['ask me']],
  ] as const) {
    const lead = aLead({ contact_phone, contact_country_code: '+7' });
    assert.equal(textOf(lead), lines.join('\n'));
  }
});

test('digits of any script are found by plain ones', () => {
  const lead = aLead({ contact_phone: '٩٨٦٣٢ ٧٦٥٩٦', contact_country_code: '+91' });
  for (const q of ['98632 76596', '+919863276596', '٩٨٦٣٢٧٦٥٩٦']) assert.ok(finds(q, lead), q);
});

test('a number longer than any is no other number', () => {
  assert.ok(!finds('9'.repeat(65), aLead({ contact_phone: '9'.repeat(64) })));
  assert.ok(finds('9'.repeat(64), aLead({ contact_phone: '9'.repeat(64) })));
});

test('the longest fields can be searched to their end', () => {
  const longest = aLead({
    contact_name: 'n'.repeat(256),
    contact_email: 'e'.repeat(320),
    contact_phone: '9'.repeat(64),
    project_name: 'p'.repeat(256),
    visitor_id: `${'v'.repeat(127)}!`,
  });
  assert.ok(textOf(longest).endsWith('v!'));
});

const someText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(...'aÄßσΣİıéй कि각か゛1 5-+0(') }),
);

test('whatever is part of a field finds it', () => {
  const property = fc.property(
    someText,
    fc.nat(20),
    fc.nat(20),
    fc.constantFrom('contact_name', 'contact_phone'),
    (text, start, length, field) => {
      const characters = [...text.toWellFormed()];
      const part = characters.slice(start, start + length).join('');
      assert.ok(finds(part, aLead({ [field]: characters.join('') })), JSON.stringify(part));
    },
  );
  fc.assert(property, { numRuns: 2000 });
});
