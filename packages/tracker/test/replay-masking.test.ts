import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openChromium } from '@leadtrail/testing/chromium';
import type { RecordedEvent, Replay } from '@leadtrail/testing/recordings';
import { onEitherStore, useService } from '@leadtrail/testing/service';
import type { Browser, Page } from 'playwright-core';
import {
  aSession,
  hasText,
  INCREMENTAL,
  INPUT,
  openRecorded,
  recorderScript,
  replayWhen,
  stopRecording,
} from './support/recorded-pages.ts';
import { aPage, openSite, type Site } from './support/site.ts';
import { watchPage } from './support/watched-page.ts';

/** Stands in everything that is typed, chosen or filled in beforehand, where a text can stand. */
const CANARY = 'canaryxq';
/** Where only other values are allowed: not found anywhere else on the page. */
const VALUES: Readonly<Record<string, { prefilled: string; typed: string }>> = {
  number: { prefilled: '7391846', typed: '8264917' },
  range: { prefilled: '6381946', typed: '5271834' },
  date: { prefilled: '2031-07-29', typed: '2032-08-27' },
  month: { prefilled: '2033-03', typed: '2034-04' },
  week: { prefilled: '2035-W23', typed: '2036-W24' },
  time: { prefilled: '13:37', typed: '14:38' },
  'datetime-local': { prefilled: '2037-01-19T11:41', typed: '2038-02-18T12:42' },
  color: { prefilled: '#a1b2c3', typed: '#b2c3d4' },
};
const TEXT_TYPES = ['text', 'email', 'tel', 'url', 'search', 'password', 'made-up'];

const textInput = (type: string) => `<input id="${type}" type="${type}" value="${CANARY}-${type}-0">`;
const otherInput = ([type, { prefilled }]: [string, { prefilled: string }]) =>
  `<input id="${type}" type="${type}" max="${type === 'range' ? 9999999 : ''}" value="${prefilled}">`;

const FORM = `
  <h1>Before</h1>
  <form>
    ${TEXT_TYPES.map(textInput).join('')}
    ${Object.entries(VALUES).map(otherInput).join('')}
    <input id="untyped" value="${CANARY}-untyped">
    <input id="hidden" type="hidden" value="${CANARY}-hidden">
    <input id="file" type="file">
    <input id="radio" type="radio" name="r" value="${CANARY}-radio" checked>
    <input id="radio-2" type="radio" name="r" value="${CANARY}-radio-2">
    <input id="checkbox" type="checkbox" value="${CANARY}-checkbox" checked>
    <input id="checkbox-2" type="CheckBox" value="${CANARY}-checkbox-2">
    <textarea id="textarea">${CANARY}-textarea-0</textarea>
    <select id="select"><option value="1">One</option><option value="2" selected>Two</option></select>
    <select id="several" multiple><option selected>Three</option><option>Four</option></select>
    <div id="editable" contenteditable>${CANARY}-editable <b>${CANARY}-bold</b></div>
    <div id="empty-editable" contenteditable="plaintext-only"></div>
    <x-field id="component" value="${CANARY}-component"></x-field>
    <input type="submit" value="Send it">
  </form>
  <p data-leadtrail-mask>Known as ${CANARY}-text <i>and ${CANARY}-inner</i></p>
  <div data-leadtrail-block><p>${CANARY}-blocked</p></div>
  <div class="leadtrail-block">${CANARY}-blocked-by-class</div>
  <div id="host"></div>
  <iframe id="frame" srcdoc="<input value='${CANARY}-framed'>"></iframe>
  <div id="later"></div>
  <script>
    const root = document.getElementById('host').attachShadow({ mode: 'open' });
    root.innerHTML = '<input id="shadowed" value="${CANARY}-shadowed"><p>Shadow text</p>';
  </script>`;

/** What a visitor does. */
async function fillIn(page: Page): Promise<void> {
  for (const type of [...TEXT_TYPES, 'untyped']) await page.fill(`#${type}`, `${CANARY}-${type}-1`);
  for (const [type, { typed }] of Object.entries(VALUES)) await page.fill(`#${type}`, typed);
  await page.setInputFiles('#file', {
    name: `${CANARY}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from('x'),
  });
  await page.check('#radio-2');
  await page.check('#checkbox-2');
  await page.fill('#textarea', `${CANARY}-textarea-1`);
  await page.selectOption('#select', '1');
  for (const editable of ['#editable', '#empty-editable']) {
    await page.click(editable);
    await page.keyboard.type(` ${CANARY}-typed`);
  }
  await page.locator('#shadowed').fill(`${CANARY}-shadow-typed`);
  await page.frameLocator('#frame').locator('input').fill(`${CANARY}-frame-typed`);
  await page.click('h1');
}

/** What the scripts of a page do. */
function changeByScript(canary: string): void {
  const find = <T extends Element>(id: string) => document.getElementById(id) as unknown as T;
  for (const input of document.querySelectorAll('input:not([type=file])')) {
    input.setAttribute('value', `${canary}-attribute`);
  }
  find<HTMLInputElement>('text').value = `${canary}-property`;
  find<HTMLInputElement>('hidden').value = `${canary}-property`;
  find<HTMLTextAreaElement>('textarea').textContent = `${canary}-content`;
  find<HTMLTextAreaElement>('textarea').value = `${canary}-property`;
  find<HTMLElement>('component').setAttribute('value', `${canary}-attribute`);
  find<HTMLElement>('editable').innerHTML = `<p>${canary}-html</p>`;
  find<HTMLElement>('radio').setAttribute('checked', '');
  find<HTMLElement>('later').innerHTML = `
    <input value="${canary}-later"><input type="hidden" value="${canary}-later">
    <input type="radio" value="${canary}-later" checked><textarea>${canary}-later</textarea>
    <x-field value="${canary}-later"></x-field>
    <select><option>Five</option><option selected>Six</option></select>
    <div contenteditable><p>${canary}-later</p></div>
    <p data-leadtrail-mask><b>${canary}-later</b></p><p data-leadtrail-block>${canary}-later</p>`;
  const typed = document.createElement('input');
  typed.value = `${canary}-added`;
  find<HTMLElement>('later').append(typed);
  typed.type = 'password';
  const heading = document.querySelector('h1');
  if (heading) heading.textContent = 'Afterwards';
}

function inputEvents({ events }: Replay): RecordedEvent[] {
  return events.filter(
    ({ type, data }) => type === INCREMENTAL && (data as { source: number }).source === INPUT,
  );
}

onEitherStore('the recorder', (kind) => {
  const service = useService(kind);
  let browser: Browser;
  let site: Site;
  before(async () => {
    browser = await openChromium();
    site = await openSite();
  });
  after(async () => {
    await browser.close();
    await site.close();
  });

  test('masks every input: nothing that was filled in, typed or chosen is stored', async () => {
    const session = await aSession(service);
    site.serve('/form', aPage({ body: FORM + recorderScript(service, session) }));
    await watchPage(browser, { origins: [site.url, service.url] }, async ({ page }) => {
      await openRecorded(page, `${site.url}/form`);
      await replayWhen(service, session, hasText('Shadow text'));
      await fillIn(page);
      await page.evaluate(changeByScript, CANARY);
      await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Afterwards');
      // What has changed is noticed once the script has ended.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
      await stopRecording(page);
      // What has been moved here was moved by the test.
      await page.goto('about:blank');
    });
    const replay = await replayWhen(service, session, hasText('Afterwards'));
    const stored = JSON.stringify(replay);
    for (const word of ['Before', 'Send it', 'Shadow text', 'One', 'Six'])
      assert.ok(stored.includes(word), word);
    assert.ok(!stored.includes(CANARY), around(stored, CANARY));
    for (const { prefilled, typed } of Object.values(VALUES)) {
      assert.ok(!stored.includes(prefilled), around(stored, prefilled));
      assert.ok(!stored.includes(typed), around(stored, typed));
    }
    for (const choice of ['"checked":', '"selected":', '"isChecked":true']) {
      assert.ok(!stored.includes(choice), around(stored, choice));
    }
    const typed = inputEvents(replay).map(({ data }) => (data as { text: string }).text);
    assert.ok(typed.length >= TEXT_TYPES.length, `${typed.length} inputs were noticed`);
    // Not even how long it is.
    assert.deepEqual(
      [...new Set(typed)].filter((text) => text !== ''),
      ['********'],
    );
  });
});

function around(text: string, part: string): string {
  const at = text.indexOf(part);
  return text.slice(Math.max(0, at - 200), at + 100);
}
