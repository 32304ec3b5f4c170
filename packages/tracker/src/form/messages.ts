import type { LeadForm } from './lead-form.ts';

type Kind = 'success' | 'error';

/** For visitors; the service's own messages are for developers. */
const NOT_NOW = 'The form could not be sent just now. Please try again in a moment.';
const NOT_FROM_HERE = 'The form cannot be sent from this page. Please contact us another way.';
const OFFLINE = 'You seem to be offline. Nothing is lost: please send the form again once you are connected.';
const TEXTS: Record<number, string> = {
  400: 'Some of your input was not accepted. Please check it and send it again.',
  401: NOT_FROM_HERE,
  403: NOT_FROM_HERE,
  404: NOT_FROM_HERE,
  405: NOT_FROM_HERE,
  410: NOT_FROM_HERE,
  413: 'The form is too large to send. Please shorten the text or remove files.',
};
/** Screen readers announce changes only in elements they already know. */
const NOTICE_MS = 100;

let outletsMade = 0;

/** The page's own text takes precedence. */
export async function showSuccess(form: HTMLFormElement, message: string): Promise<void> {
  const outlet = outletOf(form, 'success', true);
  const given = form.getAttribute('data-success-text');
  // Markup provided by the page is shown as it is.
  if (!given && outlet.childElementCount > 0) outlet.hidden = false;
  else await say(outlet, given || outlet.textContent.trim() || message);
}

/** Focuses the first invalid field, else the message. */
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

/** Inside the form, or among its siblings up to the next form. */
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
