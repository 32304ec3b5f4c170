import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './answer.ts';
import { PAGE_HEADERS, textPage } from './text-page.ts';

/** Navigation by a browser gets a page; scripts get data. */
export function prefersPage(headers: IncomingHttpHeaders): boolean {
  const isNavigation = (headers['sec-fetch-mode'] ?? 'navigate') === 'navigate';
  const isScript = headers['x-requested-with'] !== undefined || !isNavigation;
  return !isScript && (headers.accept ?? '').toLowerCase().includes('text/html');
}

/** Replaces JSON for a form that a browser sent without a script. */
export function asPage<A extends Answer>(answer: A): A {
  const { title, text } = errorTexts(answer);
  return {
    ...answer,
    headers: { ...answer.headers, ...PAGE_HEADERS },
    body: textPage({ language: 'en', title, text }),
  };
}

const STILL_THERE = 'what you have typed is still there';

function errorTexts({ status, headers }: Answer): { title: string; text: string } {
  const seconds = Number(headers['retry-after'] ?? 60);
  const wait = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`;
  const again = `Your message has not been sent. Go back and send it again in ${wait}; ${STILL_THERE}.`;
  switch (status) {
    case 429:
      return { title: 'Please wait a moment', text: again };
    case 503:
      return { title: 'Please try again', text: again };
    case 400:
    case 413:
      return {
        title: 'Please check your message',
        text: `It could not be accepted. Go back and change it; ${STILL_THERE}.`,
      };
    case 500:
      return { title: 'Please try again', text: `Your message has not been sent. Go back; ${STILL_THERE}.` };
    default:
      return {
        title: 'The form cannot be sent from this page',
        text: 'Your message has not been sent. Please contact us another way.',
      };
  }
}
