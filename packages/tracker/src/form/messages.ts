import { extras } from './extras.ts';
import type { LeadForm } from './lead-form.ts';
import { errorName, textOf } from './texts.ts';

type Kind = 'success' | 'error';

/** Screen readers announce changes only in elements they already know. */
const NOTICE_MS = 100;

let outletsMade = 0;

/** The page's own text takes precedence. */
export async function showSuccess(lead: LeadForm, message: string): Promise<void> {
  const { form, config } = lead;
  const outlet = outletOf(form, 'success', true);
  const given = form.getAttribute('data-success-text');
  // Markup provided by the page is shown as it is.
  if (!given && outlet.childElementCount > 0) outlet.hidden = false;
  else await say(outlet, given || outlet.textContent.trim() || config.texts.success || message);
  if (config.after_sending === 'text') extras.replace?.(form, outlet);
}

/** Focuses the first invalid field, else the message. */
export async function showError(
  lead: LeadForm,
  status: number,
  wrong: string[],
  isKept?: boolean,
): Promise<void> {
  const { form } = lead;
  const name = errorName(status);
  const given = form.getAttribute(name === 'offline' ? 'data-offline-text' : 'data-error-text');
  const outlet = outletOf(form, 'error', true);
  const names = new Set(wrong.map((name) => name.toLowerCase()));
  const fields = [...form.querySelectorAll<HTMLElement>('[name]:not([type=hidden])')].filter((field) =>
    names.has(field.getAttribute('name')?.toLowerCase() ?? ''),
  );
  for (const field of fields) lead.unmark.push(mark(field, outlet.id));
  await say(outlet, (given || textOf(lead.config, name)) + (isKept ? ` ${textOf(lead.config, 'kept')}` : ''));
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
  // Right to left by its own text.
  outlet.dir = 'auto';
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
