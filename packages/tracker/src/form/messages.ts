import type { LeadForm } from './lead-form.ts';

type Kind = 'success' | 'error';

/** For people, who can do nothing with what the service says to developers. */
const NOT_NOW = 'The form could not be sent just now. Please try again in a moment.';
const NOT_FROM_HERE = 'The form cannot be sent from this page. Please contact us in another way.';
const OFFLINE = 'You seem to be offline. Nothing is lost: please send the form again once you are connected.';
const TEXTS: Record<number, string> = {
  400: 'Something in the form could not be accepted. Please check it and send it again.',
  401: NOT_FROM_HERE,
  403: NOT_FROM_HERE,
  404: NOT_FROM_HERE,
  405: NOT_FROM_HERE,
  410: NOT_FROM_HERE,
  413: 'This is too much to be sent at once. Please shorten the text or leave out files.',
};
/** Screen readers say what changes in an element that they have noticed before. */
const NOTICE_MS = 100;

let outletsMade = 0;

/** What the page has to say itself comes first. */
export async function showSuccess(form: HTMLFormElement, message: string): Promise<void> {
  const outlet = outletOf(form, 'success', true);
  const given = form.getAttribute('data-success-text');
  // More than text is for the page to lay out.
  if (!given && outlet.childElementCount > 0) outlet.hidden = false;
  else await say(outlet, given || outlet.textContent.trim() || message);
}

/** Leads to the field at fault where one is known, and else to the text. */
export async function showError(lead: LeadForm, status: number, wrong: string[]): Promise<void> {
  const { form } = lead;
  const isOffline = status === 0 && !navigator.onLine;
  const given = form.getAttribute(isOffline ? 'data-offline-text' : 'data-error-text');
  const outlet = outletOf(form, 'error', true);
  const names = new Set(wrong.map((name) => name.toLowerCase()));
  const fields = [...form.querySelectorAll<HTMLElement>('[name]:not([type=hidden])')].filter((field) =>
    names.has(field.getAttribute('name')?.toLowerCase() ?? ''),
  );
  for (const field of fields) lead.unmark.push(mark(field, outlet.id));
  await say(outlet, given || (isOffline ? OFFLINE : (TEXTS[status] ?? NOT_NOW)));
  outlet.tabIndex = -1;
  (fields[0] ?? outlet).focus();
}

export function clearMessages({ form, unmark }: LeadForm): void {
  for (const undo of unmark.splice(0)) undo();
  for (const kind of ['success', 'error'] as const) {
    const outlet = outletOf(form, kind, false);
    if (outlet) outlet.hidden = true;
  }
}

async function say(outlet: HTMLElement, text: string): Promise<void> {
  outlet.textContent = '';
  outlet.hidden = false;
  await new Promise((resolve) => setTimeout(resolve, NOTICE_MS));
  outlet.textContent = text;
}

/** Inside the form or after it, but not after the next one. */
function outletOf(form: HTMLFormElement, kind: Kind, needed: true): HTMLElement;
function outletOf(form: HTMLFormElement, kind: Kind, needed: boolean): HTMLElement | null;
function outletOf(form: HTMLFormElement, kind: Kind, needed: boolean): HTMLElement | null {
  const selector = `[data-leadtrail-${kind}]`;
  let outlet = form.querySelector<HTMLElement>(selector);
  for (
    let next = form.nextElementSibling;
    !outlet && next && !next.matches('form');
    next = next.nextElementSibling
  ) {
    if (next.matches(selector)) outlet = next as HTMLElement;
  }
  if (outlet || !needed) return outlet && prepared(outlet, kind);
  outlet = prepared(document.createElement('div'), kind);
  form.insertAdjacentElement(kind === 'error' ? 'beforeend' : 'afterend', outlet);
  return outlet;
}

function prepared(outlet: HTMLElement, kind: Kind): HTMLElement {
  outlet.setAttribute(`data-leadtrail-${kind}`, '');
  outlet.setAttribute('role', kind === 'error' ? 'alert' : 'status');
  outlet.id ||= `leadtrail-${kind}-${++outletsMade}`;
  return outlet;
}

function mark(field: Element, textId: string): () => void {
  const before = field.getAttribute('aria-describedby');
  field.setAttribute('aria-invalid', 'true');
  field.setAttribute('aria-describedby', before ? `${before} ${textId}` : textId);
  return () => {
    field.removeAttribute('aria-invalid');
    if (before === null) field.removeAttribute('aria-describedby');
    else field.setAttribute('aria-describedby', before);
  };
}
