import type { Page, Route } from 'playwright-core';

/** What comes back to a form, or does not, and what the page hears of it. */

export const CAPTURE = /\/lead\.capture$/;

/** What the browser says by itself when a request fails. */
export const FAILED = /Failed to load resource: net::ERR_FAILED/;
export const answered = (status: number) => new RegExp(`Failed to load resource: .* status of ${status}`);

/** The service answers this once, and then as it does. */
export const answerOnce = (page: Page, answer: Parameters<Route['fulfill']>[0]) =>
  page.route(
    CAPTURE,
    (route) => route.fulfill({ headers: { 'access-control-allow-origin': '*' }, ...answer }),
    { times: 1 },
  );

/** Keeps what the page is told, and cancels it if wanted. */
export async function watchEvents(page: Page, name: string, cancelled = false): Promise<void> {
  await page.evaluate(
    ([event, cancels]) => {
      const events: unknown[] = [];
      Object.assign(window, { events });
      document.addEventListener(event, (fired) => {
        events.push((fired as CustomEvent).detail);
        if (cancels) fired.preventDefault();
      });
    },
    [name, cancelled] as const,
  );
}

export const eventsOf = (page: Page): Promise<unknown[]> =>
  page.evaluate(() => (window as unknown as { events: unknown[] }).events);
