/** Events that the tracker sends by itself; all others are a site's own. */
export const MEASURED_EVENTS: ReadonlySet<string> = new Set([
  'page_view',
  'click',
  'scroll',
  'engaged',
  'form_view',
  'form_start',
  'form_submit',
]);
