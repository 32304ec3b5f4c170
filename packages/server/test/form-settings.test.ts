import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { ArrivedField, Form } from '@leadtrail/contract/forms';
import { call } from '@leadtrail/testing/analytics-calls';
import { fetchDescribed } from '@leadtrail/testing/checked-answers';
import { emptyDatabase, rows } from '@leadtrail/testing/database';
import { FORM_ID, SITE_KEY, sendForm, setUpSite } from '@leadtrail/testing/enquiries';
import { FORMS, patch } from '@leadtrail/testing/management';
import { onBothStores, type TestService, useService } from '@leadtrail/testing/service';

/** What is set for one form: what follows after sending, its texts, what its fields mean. */

const PAGE_HEADERS = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate' };
const JSON_HEADERS = { accept: 'application/json' };

type Config = {
  after_sending: string;
  texts: Record<string, string>;
  options: Record<string, { value: string; label: string }[]>;
};

const configOf = async (service: TestService, lang?: string) => {
  const query = new URLSearchParams({ siteKey: SITE_KEY, formId: FORM_ID, ...(lang && { lang }) });
  return (await (
    await fetchDescribed(`${service.url}/forms/config?${query}`, { method: 'GET' })
  ).json()) as Config;
};

async function formOf(service: TestService): Promise<Form> {
  const { forms } = await service.get<{ forms: Form[] }>(FORMS);
  assert.ok(forms[0]);
  return forms[0];
}

async function change(service: TestService, body: object): Promise<Form> {
  const answer = await patch<Form>(service, `${FORMS}/${(await formOf(service)).id}`, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

onBothStores('The settings of a form', (kind) => {
  const service = useService(kind);
  beforeEach(async () => {
    await emptyDatabase(service);
    await setUpSite(service);
  });

  test('are the usual ones at first, can be changed one by one, and given with a new form', async () => {
    const usual = { after_sending: 'thank_you_page', redirect_url: '', texts: {}, field_names: {} };
    assert.partialDeepStrictEqual(await formOf(service), usual);
    const changed = {
      after_sending: 'text',
      texts: { success: 'Danke!' },
      field_names: { wohnung: 'USER_MESSAGE' },
    };
    assert.partialDeepStrictEqual(await change(service, changed), changed);
    assert.partialDeepStrictEqual(await change(service, { name: 'Renamed' }), changed);
    assert.partialDeepStrictEqual(await formOf(service), { ...changed, name: 'Renamed' });
    const made = await call<Form>(service, 'POST', FORMS, {
      body: { name: 'New', site_key: SITE_KEY, ...changed },
    });
    assert.equal(made.status, 201);
    assert.partialDeepStrictEqual(made.body, changed);
  });

  test('400 names the field that is not valid', async () => {
    const { id } = await formOf(service);
    for (const [body, path] of [
      [{ after_sending: 'elsewhere' }, 'after_sending'],
      [{ after_sending: 'address' }, 'redirect_url'],
      [{ redirect_url: 'javascript:alert(1)' }, 'redirect_url'],
      [{ redirect_url: '//evil.example' }, 'redirect_url'],
      [{ redirect_url: 'thanks' }, 'redirect_url'],
      [{ redirect_url: `/${'x'.repeat(2048)}` }, 'redirect_url'],
      [{ texts: { success: 5 } }, 'texts.success'],
      [{ texts: { success: 'x'.repeat(501) } }, 'texts.success'],
      [{ texts: { unknown: 'x' } }, 'texts'],
      [{ field_names: { wohnung: 'FLAT' } }, 'field_names.wohnung'],
      [
        { field_names: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`f${i}`, 'custom'])) },
        'field_names',
      ],
    ] as const) {
      const answer = await patch(service, `${FORMS}/${id}`, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.deepEqual(
        answer.body.details?.map((detail) => detail.path),
        [path],
      );
    }
    assert.equal((await formOf(service)).after_sending, 'thank_you_page');
  });

  test('an own address is where the redirect leads, at once and also for a blocked sender', async () => {
    for (const [redirect_url, target] of [
      ['/danke?form=1', 'https://www.example.com/danke?form=1'],
      ['https://thanks.example/page', 'https://thanks.example/page'],
    ]) {
      await change(service, { after_sending: 'address', redirect_url });
      const redirected = await sendForm(service);
      assert.deepEqual([redirected.status, redirected.headers.get('location')], [301, target]);
      const script = await sendForm(service, {}, { headers: JSON_HEADERS });
      assert.equal(((await script.json()) as { redirect_to: string }).redirect_to, target);
    }
    await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: '198.51.100.66' } });
    const blocked = await sendForm(service, {}, { ip: '198.51.100.66' });
    assert.equal(blocked.headers.get('location'), 'https://thanks.example/page');
  });

  test('a form that stays answers its text: as JSON for scripts, as a page for a plain form', async () => {
    await change(service, { after_sending: 'text', texts: { success: 'We call you <today>.' } });
    const script = await sendForm(service, {}, { headers: JSON_HEADERS });
    assert.partialDeepStrictEqual(await script.json(), {
      message: 'We call you <today>.',
      redirect_to: null,
    });
    const page = await sendForm(service, {}, { headers: PAGE_HEADERS });
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(await page.text(), /<h1>We call you &lt;today&gt;\.<\/h1>/);
    await change(service, { texts: {} });
    const french = await sendForm(
      service,
      {},
      { headers: { ...PAGE_HEADERS, 'accept-language': 'fr-CA,en;q=0.5' } },
    );
    assert.match(
      await french.text(),
      /<html lang="fr"[\s\S]*<h1>Merci ! Votre message a bien été envoyé\.<\/h1>/,
    );
  });

  test('a plain form that is refused gets a page, a script JSON', async () => {
    for (const [fields, headers, status, title] of [
      [
        {},
        { origin: 'https://evil.example', referer: 'https://evil.example/' },
        403,
        'cannot be sent from this page',
      ],
      [{ formId: 'unknown' }, {}, 403, 'cannot be sent from this page'],
    ] as const) {
      const page = await sendForm(service, fields, { headers: { ...PAGE_HEADERS, ...headers } });
      assert.equal(page.status, status);
      assert.match(await page.text(), new RegExp(`<h1>[^<]*${title}`));
      const script = await sendForm(service, fields, { headers: { ...JSON_HEADERS, ...headers } });
      assert.equal(script.status, status);
      assert.equal(typeof ((await script.json()) as { error: string }).error, 'string');
    }
  });

  test('texts come in the language asked for, with those of the form itself; English ones are built in', async () => {
    assert.deepEqual((await configOf(service)).texts, {});
    assert.deepEqual((await configOf(service, 'en-GB')).texts, {});
    assert.deepEqual((await configOf(service, 'xx')).texts, {});
    const languages = ['de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'tr', 'ar', 'hi'];
    const seen = new Set<string>();
    for (const language of languages) {
      const { texts } = await configOf(service, `${language}-XX`);
      assert.equal(Object.keys(texts).length, 8, language);
      for (const text of Object.values(texts)) seen.add(text);
    }
    assert.equal(seen.size, languages.length * 8);
    await change(service, { texts: { error: 'Leider nicht.', sending: '' } });
    const { texts } = await configOf(service, 'de');
    assert.deepEqual([texts.error, texts.sending], ['Leider nicht.', 'Wird gesendet …']);
    assert.deepEqual((await configOf(service)).texts, { error: 'Leider nicht.' });
  });

  test('options are those of the dashboard, in its order', async () => {
    for (const [value, sort_order] of [
      ['Pune', 2],
      ['Berlin', 1],
    ]) {
      await call(service, 'POST', '/analytics/dropdown-options', {
        body: { kind: 'city', value, label: `In ${value}`, sort_order },
      });
    }
    assert.deepEqual((await configOf(service)).options, {
      source: [],
      country: [],
      project: [],
      city: [
        { value: 'Berlin', label: 'In Berlin' },
        { value: 'Pune', label: 'In Pune' },
      ],
    });
  });
});

onBothStores('The fields of a form', (kind) => {
  const service = useService(kind);
  beforeEach(async () => {
    await emptyDatabase(service);
    await setUpSite(service);
  });

  type Arrived = { submissions: number; misunderstood: number; fields: ArrivedField[] };
  const arrived = async () => {
    await service.settled();
    return service.get<Arrived>(`${FORMS}/${(await formOf(service)).id}/fields`);
  };
  const leads = () =>
    rows(service, 'select contact_name, contact_email, contact_phone, message from leads order by lead_id');
  const OWN = { EMAIL: '', PHONE: '', kontakt: 'ada@example.org', wohnung: 'Two rooms' };

  test('a name that was given a meaning is read by it from then on, and is no custom field any more', async () => {
    await sendForm(service, OWN);
    assert.partialDeepStrictEqual(await leads(), [{ contact_email: '', message: '' }]);
    await change(service, {
      field_names: { kontakt: 'EMAIL', wohnung: 'USER_MESSAGE', FIRSTNAME: 'custom' },
    });
    await sendForm(service, { ...OWN, kontakt: 'grace@example.org' });
    const [, second] = await leads();
    assert.deepEqual([second?.contact_email, second?.message], ['grace@example.org', 'Two rooms']);
    assert.equal(second?.contact_name, '');
    const { leads: listed } = await service.get<{ leads: { fields: object }[] }>(
      '/analytics/leads?sort=newest',
    );
    assert.deepEqual(listed[0]?.fields, { FIRSTNAME: 'Ada' });
  });

  test('a meaning that a page claims for itself does not count, its hints do where the name says nothing', async () => {
    const hints = JSON.stringify({ kontakt: 'EMAIL', comments: 'EMAIL', wohnung: 'nonsense' });
    const mapped = JSON.stringify({ wohnung: 'PHONE' });
    await sendForm(service, { ...OWN, comments: 'Call me', __fields: hints, __mapped: mapped });
    for (const __fields of ['{', '[]', '5', 'null', '{"a":{}}'])
      await sendForm(service, { ...OWN, __fields });
    const [first] = await leads();
    assert.deepEqual(
      [first?.contact_email, first?.contact_phone, first?.message],
      ['ada@example.org', '', 'Call me'],
    );
  });

  test('what arrived is listed with what it is understood as, and contact data that was missed is flagged', async () => {
    assert.deepEqual(await arrived(), { submissions: 0, misunderstood: 0, fields: [] });
    await sendForm(service, OWN);
    await sendForm(service, { ...OWN, kontakt: 'grace@example.org', FIRSTNAME: 'Grace' });
    await sendForm(service, {
      EMAIL: 'alan@example.org',
      rueckruf: '+49 30 1234567',
      PHONE: '',
      geburtstag: '01.02.2003',
    });
    const before = await arrived();
    assert.deepEqual([before.submissions, before.misunderstood], [3, 3]);
    const field = (name: string) => before.fields.find((each) => each.name === name);
    assert.deepEqual(field('kontakt'), { name: 'kontakt', count: 2, meaning: 'custom', looks_like: 'EMAIL' });
    assert.deepEqual(field('rueckruf'), {
      name: 'rueckruf',
      count: 1,
      meaning: 'custom',
      looks_like: 'PHONE',
    });
    assert.deepEqual(field('geburtstag'), {
      name: 'geburtstag',
      count: 1,
      meaning: 'custom',
      looks_like: null,
    });
    assert.deepEqual(field('EMAIL'), { name: 'EMAIL', count: 1, meaning: 'EMAIL', looks_like: null });
    assert.equal(field('siteKey'), undefined);
    await change(service, { field_names: { kontakt: 'EMAIL', rueckruf: 'PHONE' } });
    const after = await arrived();
    assert.equal(after.misunderstood, 0);
    assert.equal(after.fields.find(({ name }) => name === 'kontakt')?.meaning, 'EMAIL');
  });

  test('404 for a form that does not exist', async () => {
    assert.equal((await call(service, 'GET', `${FORMS}/999999/fields`)).status, 404);
  });
});

onBothStores('A form that is sent again', (kind) => {
  const service = useService(kind);
  beforeEach(async () => {
    await emptyDatabase(service);
    await setUpSite(service);
  });
  const submissions = () =>
    rows(service, 'select lead_submission_public_id as id from submissions order by submission_id');
  const anId = () => `${Date.now().toString(16)}-${crypto.randomUUID()}`;

  test('under the same __submission_id is one submission with the same answer, simultaneous ones too', async () => {
    const __submission_id = anId();
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const response = await sendForm(service, { __submission_id }, { headers: JSON_HEADERS });
        assert.equal(response.status, 200);
        return response.json();
      }),
    );
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    const [stored, ...others] = await submissions();
    assert.deepEqual(others, []);
    assert.equal((answers[0] as { lead_submission_public_id: string }).lead_submission_public_id, stored?.id);
    assert.match(String(stored?.id), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.notEqual(stored?.id, __submission_id);
  });

  test('under another id, or one that is none or too old, is another submission', async () => {
    const old = `${(Date.now() - 3 * 86_400_000).toString(16)}-${crypto.randomUUID()}`;
    for (const __submission_id of [anId(), anId(), 'no-id', 'no-id', old, old]) {
      assert.equal((await sendForm(service, { __submission_id })).status, 301);
    }
    assert.equal((await submissions()).length, 6);
  });
});
