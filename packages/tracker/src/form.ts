import { loadExtras } from './form/extras.ts';
import { fillIn, noteCampaign } from './form/hidden-fields.ts';
import {
  allLeadForms,
  FORM_ATTRIBUTE,
  leadFormOf,
  release,
  restartTime,
  SITE_ATTRIBUTE,
} from './form/lead-form.ts';
import { KEEPING, send } from './form/send.ts';
import { KEPT_FORMS, read } from './storage.ts';

/** Buttons with a target of their own, or that only close a dialog. */
const OWN_TARGET = '[formaction],[formmethod=dialog]';

/** Runs repeatedly, because consent may come later. */
function findForms(): void {
  if (allLeadForms()[0] || read(KEPT_FORMS)) loadExtras(KEEPING, allLeadForms);
}

function start(): void {
  noteCampaign();
  findForms();
  // Single-page apps add and replace forms later.
  new MutationObserver(findForms).observe(document, {
    childList: true,
    subtree: true,
    attributeFilter: [FORM_ATTRIBUTE, SITE_ATTRIBUTE],
  });

  // On the window, so that the page's own listeners run first and can cancel.
  addEventListener('submit', (event) => {
    const lead = leadFormOf(event.target);
    const submitter = event.submitter as HTMLButtonElement | null;
    if (!lead || event.defaultPrevented || submitter?.matches(OWN_TARGET)) return;
    event.preventDefault();
    if (!lead.sending) send(lead, submitter).catch(() => release(lead));
  });

  // Fires for every kind of submit, so that a native one carries the same fields.
  addEventListener('formdata', ({ target, formData }) => {
    const lead = leadFormOf(target);
    if (lead) fillIn(formData, lead);
  });

  // The page may come back from the back/forward cache.
  addEventListener('pagehide', () => allLeadForms().forEach(release));
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) allLeadForms().forEach(restartTime);
  });
}

// A prerendered page may never be seen.
if ((document as Document & { prerendering?: boolean }).prerendering) {
  document.addEventListener('prerenderingchange', start, { once: true });
} else start();
