import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { emptyDatabase, rows } from '@leadtrail/testing/database';
import { sendForm, setUpSite } from '@leadtrail/testing/enquiries';
import { patch } from '@leadtrail/testing/management';
import { onBothStores, useService } from '@leadtrail/testing/service';

onBothStores('Spam, by the settings', (kind) => {
  const service = useService(kind);
  beforeEach(async () => {
    await emptyDatabase(service);
    await setUpSite(service);
  });

  const leads = () => rows(service, 'select suspicion_score, suspicion_reasons from leads order by lead_id');
  type Rejected = { id: number; reason: string };
  const rejected = async () =>
    (await service.get<{ blocked_ip_leads: Rejected[] }>('/analytics/blocked-ip-leads')).blocked_ip_leads;

  test('an e-mail domain, phone or word that is blocked is set aside with the reason; the sender sees no difference', async () => {
    await patch(service, '/analytics/settings', {
      blocked_email_domains: ['spam.example'],
      blocked_phones: ['+91 98765-00000'],
      blocked_words: ['Casino', 'buy now'],
    });
    for (const [fields, reason] of [
      [{ EMAIL: 'x@SPAM.example' }, 'e-mail domain spam.example'],
      [{ EMAIL: 'x@mail.spam.example' }, 'e-mail domain spam.example'],
      [{ PHONE: '98765 00000' }, 'phone +91 98765-00000'],
      [{ PHONE: '0091 9876500000', COUNTRYCODE: '' }, 'phone +91 98765-00000'],
      [{ USER_MESSAGE: 'The best CASINO!' }, 'word Casino'],
      [{ offer: 'Buy now, pay later' }, 'word buy now'],
    ] as const) {
      const response = await sendForm(service, fields);
      assert.deepEqual(
        [response.status, response.headers.get('location')],
        [301, 'https://www.example.com/riverside/thank-you.html'],
      );
      assert.equal((await rejected())[0]?.reason, reason);
    }
    assert.deepEqual(await leads(), []);
  });

  test('what only looks alike is a lead, and one that was set aside can be accepted', async () => {
    await patch(service, '/analytics/settings', {
      blocked_email_domains: ['spam.example'],
      blocked_phones: ['9876500000'],
      blocked_words: ['casino'],
    });
    for (const fields of [
      { EMAIL: 'x@notspam.example' },
      { EMAIL: 'spam.example@example.org' },
      { USER_MESSAGE: 'I am a casinoarchitect', EMAIL: 'y@example.org' },
    ]) {
      await sendForm(service, fields);
    }
    assert.deepEqual(await rejected(), []);
    await sendForm(service, { EMAIL: 'real@spam.example' });
    const [row] = await rejected();
    const before = (await leads()).length;
    const accepted = await call(service, 'POST', `/analytics/blocked-ip-leads/${row?.id}/accept`, {
      body: {},
    });
    assert.equal(accepted.status, 201);
    assert.equal(
      (await leads()).length,
      before + Number((accepted.body as { is_primary_lead?: number }).is_primary_lead),
    );
  });

  test('a disposable e-mail address raises the risk, a usual one does not', async () => {
    await patch(service, '/analytics/settings', { disposable_email_domains: ['throwaway.example'] });
    for (const [ip, email, score] of [
      ['198.51.100.1', 'a@mailinator.com', 30],
      ['198.51.100.2', 'b@inbox.YOPMAIL.com', 30],
      ['198.51.100.3', 'c@throwaway.example', 30],
      ['198.51.100.4', 'd@example.org', 0],
      ['198.51.100.5', 'e@notmailinator.com', 0],
    ] as const) {
      await sendForm(service, { EMAIL: email, PHONE: '' }, { ip });
      const lead = (await leads()).at(-1);
      assert.equal(Number(lead?.suspicion_score), score, email);
      assert.equal(lead?.suspicion_reasons, score === 0 ? '' : 'disposable e-mail address');
    }
  });
});
