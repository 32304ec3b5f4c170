import { listen } from './lifetime.ts';
import { liveSession, type Session, saveSession } from './session.ts';

/** Clicks on calls to action, and form events. */

const CTA =
  '[data-leadtrail-cta],a[href^="tel:"],a[href^="mailto:"],a[href*="//wa.me/"],a[href*=".whatsapp.com/"]';
const CTA_NAME_CHARS_MAX = 100;
/** Polling is cheaper for the page than a MutationObserver. */
const SEARCH_MS = 3000;

/** Form events already tracked on this page. */
let known: string[];
let sight: IntersectionObserver | undefined;

export function watchTouches(track: (type: string, data: object) => void): void {
  function trackForm(type: string, form: HTMLFormElement | null, isRepeated?: boolean): void {
    if (!form) return;
    // Attributes: a field named `id` or `name` would shadow the property.
    const name = form.dataset.leadtrailForm || form.getAttribute('id') || form.getAttribute('name');
    if (isRepeated || !known.includes(type + name)) track(type, { form: name });
    known.push(type + name);
  }

  setInterval(() => {
    sight ??= new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries)
        if (isIntersecting) trackForm('form_view', target as HTMLFormElement);
    });
    for (const form of document.forms) sight.observe(form);
  }, SEARCH_MS);

  listen('click', ({ target }) => {
    const element = (target as Element).closest<HTMLAnchorElement>(CTA);
    if (!element) return;
    const text = element.dataset.leadtrailCta || element.textContent.trim() || element.href;
    const name = text.slice(0, CTA_NAME_CHARS_MAX);
    track('cta_click', { name });
    // For the form script.
    saveSession({ ...(liveSession() as Session), cta: name });
  });
  listen('focusin input', ({ target }) => {
    const form = (target as Element).closest('form');
    trackForm('form_view', form);
    trackForm('form_start', form);
  });
  listen('submit', ({ target }) => trackForm('form_submit', target as HTMLFormElement, true));
}

export function forgetTouches(): void {
  known = [];
  // Observing again reports forms in view again.
  sight?.disconnect();
}
