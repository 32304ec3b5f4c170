import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openChromium } from '@leadtrail/testing/chromium';

// `node scripts/take-screenshots.ts` takes the screenshots of the README from a running `npm run demo`.

type Lead = { lead_id: number; engagement_score: number; follow_ups_count: number; status: string };

const URL = `http://localhost:${process.env.PORT || '8787'}`;
const KEY = 'demo-admin-key';
const FOLDER = join(import.meta.dirname, '../docs/images');
const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

const lead = await interestingLead();
const PICTURES = [
  { name: 'overview', path: '/', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'leads', path: '/leads', viewport: DESKTOP, colorScheme: 'dark' },
  { name: 'lead', path: `/leads/${lead}`, viewport: DESKTOP, colorScheme: 'light' },
  { name: 'board', path: '/leads?layout=board', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'phone-leads', path: '/leads', viewport: PHONE, colorScheme: 'light' },
  { name: 'phone-lead', path: `/leads/${lead}`, viewport: PHONE, colorScheme: 'dark' },
] as const;

await mkdir(FOLDER, { recursive: true });
const browser = await openChromium();
for (const { name, path, viewport, colorScheme } of PICTURES) {
  const context = await browser.newContext({ viewport, colorScheme, locale: 'en-GB' });
  await context.addInitScript(`sessionStorage.setItem('leadtrail_dashboard_key', '${KEY}')`);
  const page = await context.newPage();
  await page.goto(`${URL}/dashboard${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  await context.close();
}
await browser.close();

/** A lead with follow-ups. */
async function interestingLead(): Promise<number> {
  const answer = await fetch(`${URL}/analytics/leads?limit=100&sort=score_desc&has_follow_ups=true`, {
    headers: { 'x-api-key': KEY },
  });
  const { leads } = (await answer.json()) as { leads: Lead[] };
  const [most] = leads
    .filter(({ status }) => status !== 'fake')
    .toSorted((a, b) => b.follow_ups_count - a.follow_ups_count);
  if (most === undefined) throw new Error('The demo has no lead that asked again.');
  return most.lead_id;
}
