import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { emptyLeads } from '@leadtrail/testing/leads';
import { onEitherStore, useService } from '@leadtrail/testing/service';
import { fillIn, openFormPage, sendWithButton, thankYouPage, useVisits } from './support/form-visits.ts';
import { aFormPage, aLeadForm, formScript, sentForms, setUpForms } from './support/lead-forms.ts';
import { aPage } from './support/site.ts';

const HONEYPOT = 'form [name=__pg_hp]';

/** Pages in which a further element inside a form could be noticed. */
const LAYOUTS = {
  'in blocks': '',
  'as a flexible column with gaps': 'form { display: flex; flex-direction: column; gap: 20px }',
  'as a grid': 'form { display: grid; grid-template-columns: 1fr 1fr; gap: 20px }',
  'with styled children':
    'form > * { display: block !important; position: static !important; padding: 20px }',
  'with space after all but the last child': 'form > :not(:last-child) { margin-block-end: 24px !important }',
  'with a last child of its own': 'form { display: flow-root } form > :last-child { margin-bottom: 40px }',
  'from right to left': 'html { direction: rtl }',
  'at the very bottom': 'body { margin: 0 } form { position: relative; margin-top: 100vh }',
};

onEitherStore('The honeypot', (kind) => {
  const service = useService(kind);
  const { site, visit } = useVisits();
  before(() => setUpForms(service));
  beforeEach(() => emptyLeads(service));

  test('is out of sight, out of the order of the keyboard, and unknown to screen readers', async () => {
    site.serve('/', aFormPage(service));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      const honeypot = page.locator(HONEYPOT);
      const box = await honeypot.boundingBox();
      assert.ok(box && box.y + box.height < 0, JSON.stringify(box));
      assert.equal(await honeypot.evaluate((field) => getComputedStyle(field).display !== 'none'), true);
      assert.equal(await honeypot.getAttribute('autocomplete'), 'off');
      assert.equal(await page.getByRole('textbox', { includeHidden: true }).count(), 4);
      assert.equal(await page.getByRole('textbox').count(), 3);

      const reached: (string | null)[] = [];
      for (let i = 0; i < 6; i++) {
        await page.keyboard.press('Tab');
        reached.push(await page.evaluate(() => document.activeElement?.getAttribute('name') ?? null));
      }
      assert.ok(reached.includes('EMAIL'), reached.join());
      assert.equal(reached.includes('__pg_hp'), false, reached.join());
    });
  });

  for (const [layout, style] of Object.entries(LAYOUTS)) {
    test(`moves nothing on the page when the form is laid out ${layout}`, async () => {
      const body = `${aLeadForm(service)}<p>What comes after the form</p>`;
      site.serve('/without', aPage({ head: `<style>${style}</style>`, body }));
      site.serve('/with', aPage({ head: `<style>${style}</style>`, body: body + formScript(service) }));
      await visit(async ({ page }) => {
        const measure = () =>
          page.evaluate(async () => {
            await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
            const { scrollWidth, scrollHeight } = document.documentElement;
            const elements = document.querySelectorAll('form, form > :not([aria-hidden]), p');
            const boxes = [...elements].map((element) => element.getBoundingClientRect().toJSON());
            return { scrollWidth, scrollHeight, boxes };
          });
        await page.goto(`${site.url}/without`);
        const without = await measure();
        await page.addInitScript(() => {
          const shifts: number[] = [];
          Object.assign(window, { shifts });
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
          }).observe({ type: 'layout-shift', buffered: true });
        });
        await openFormPage(page, `${site.url}/with`);
        assert.deepEqual(await measure(), without);
        assert.deepEqual(await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts), []);
      });
    });
  }

  test('stays empty for people', async () => {
    site.serve('/', aFormPage(service));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await fillIn(page);
      await sendWithButton(page);
      await thankYouPage(page, site);
      const [sent] = await sentForms(service);
      assert.equal(sent?.payload.__pg_hp, '');
      assert.doesNotMatch(sent?.lead.suspicion_reasons ?? '', /honeypot/);
    });
  });

  test('is filled by a program that fills every field, which makes the lead as suspicious as can be', async () => {
    site.serve('/', aFormPage(service));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await page.evaluate(() => {
        for (const field of document.querySelectorAll<HTMLInputElement>('input, textarea')) {
          field.value = field.type === 'email' ? 'bot@example.org' : 'anything';
        }
        document.querySelector('button')?.click();
      });
      await thankYouPage(page, site);
      const [sent] = await sentForms(service);
      assert.equal(sent?.lead.suspicion_score, 100);
      assert.match(sent?.lead.suspicion_reasons ?? '', /honeypot filled/);
    });
  });

  test('has the name that the service says', async () => {
    site.serve('/', aFormPage(service));
    await visit(async ({ page }) => {
      await page.route(/forms\/config/, (route) =>
        route.fulfill({
          headers: { 'access-control-allow-origin': '*' },
          json: { honeypot_field: 'website', time_field: 'seconds', campaign_params: ['__gclid'] },
        }),
      );
      await page.goto(`${site.url}/?gclid=g1&utm_source=ads`);
      await page.locator('form [name=website]').waitFor({ state: 'attached' });
      await fillIn(page);
      await sendWithButton(page);
      await thankYouPage(page, site);
      const [sent] = await sentForms(service);
      assert.match(String(sent?.payload.seconds), /^\d+$/);
      assert.partialDeepStrictEqual(sent?.payload, { website: '', __gclid: 'g1' });
      for (const name of ['__pg_hp', '__pg_tts', '__utm_source']) {
        assert.equal(name in (sent?.payload ?? {}), false, name);
      }
    });
  });
});
