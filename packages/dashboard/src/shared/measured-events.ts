/** What the tracker notes by itself; the others are what a site wanted to know. */
export const MEASURED_EVENTS: ReadonlySet<string> = new Set([
  'page_view',
  'click',
  'scroll',
  'engaged',
  'form_view',
  'form_start',
  'form_submit',
]);
