import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { atRest } from './dashboard.ts';

/** A number that is a link to visits. */
export type VisitsLink = { href: string; count: number };

export function visitsLinks(page: Page): Promise<VisitsLink[]> {
  return page
    .getByRole('main')
    .locator('a[href*="/visits?"]')
    .evaluateAll((links) =>
      links.map((link) => ({
        href: (link as HTMLAnchorElement).href,
        count: Number(link.textContent.replaceAll(/\D/g, '')),
      })),
    );
}

/** Opens each link: its page must count and list as many visits as the number says. */
export async function assertSameCounts(page: Page, links: readonly VisitsLink[]): Promise<void> {
  for (const { href, count } of links) {
    await page.goto(href);
    await atRest(page);
    assert.equal(await countShown(page), count, href);
    assert.equal(
      await page.getByRole('table', { name: 'Visits' }).locator('tbody tr').count(),
      Math.min(count, 25),
    );
  }
}

export async function countShown(page: Page): Promise<number> {
  const shown = page.getByRole('status').filter({ hasText: /visits?$/ });
  return Number((await shown.innerText()).replaceAll(/\D/g, ''));
}
