import { fillIn, noteCampaign } from './form/hidden-fields.ts';
import {
  allLeadForms,
  FORM_ATTRIBUTE,
  leadFormOf,
  release,
  restartTime,
  SITE_ATTRIBUTE,
} from './form/lead-form.ts';
import { send } from './form/send.ts';

/** Submitters that say for themselves where to go, or that only close a dialog. */
const OTHER_WAYS = '[formaction],[formmethod=dialog]';

function begin(): void {
  noteCampaign();
  allLeadForms();
  // Pages that are put together by scripts bring their forms later, and replace them.
  new MutationObserver(allLeadForms).observe(document, {
    childList: true,
    subtree: true,
    attributeFilter: [FORM_ATTRIBUTE, SITE_ATTRIBUTE],
  });

  // On the window everybody else has been asked before: what a page has refused is not sent.
  addEventListener('submit', (event) => {
    const lead = leadFormOf(event.target);
    const submitter = event.submitter as HTMLButtonElement | null;
    if (!lead || event.defaultPrevented || submitter?.matches(OTHER_WAYS)) return;
    event.preventDefault();
    if (!lead.sending) send(lead, submitter).catch(() => release(lead));
  });

  // Comes for every way of sending, so that a form which goes past this script carries the same fields.
  addEventListener('formdata', ({ target, formData }) => {
    const lead = leadFormOf(target);
    if (lead) fillIn(formData, lead);
  });

  // The browser may keep the page as it is and show it again when the visitor comes back.
  addEventListener('pagehide', () => allLeadForms().forEach(release));
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) allLeadForms().forEach(restartTime);
  });
}

// A page that is only prepared has not been seen, and may never be.
if ((document as Document & { prerendering?: boolean }).prerendering) {
  document.addEventListener('prerenderingchange', begin, { once: true });
} else begin();
