import { tag } from '../script-tag.ts';
import { DEFAULT_CONFIG, type FormConfig, readConfig } from './form-config.ts';
import { addHoneypot } from './honeypot.ts';

export const FORM_ATTRIBUTE = 'data-leadtrail-form';
export const SITE_ATTRIBUTE = 'data-site';

export type Submitter = HTMLButtonElement | HTMLInputElement | null;

export type LeadForm = {
  readonly form: HTMLFormElement;
  readonly siteKey: string;
  readonly formId: string;
  config: FormConfig;
  /** When it became usable, on the page's monotonic clock. */
  usableSinceMs: number;
  /** A new object per attempt, so that late responses can be told apart. */
  sending: { submitter: Submitter } | null;
  /** Undo functions for fields marked as invalid. */
  unmark: (() => void)[];
};

const known = new WeakMap<Element, LeadForm>();

/** All lead forms of the page, enhanced. */
export function allLeadForms(): LeadForm[] {
  return [...document.querySelectorAll<HTMLFormElement>(`form[${FORM_ATTRIBUTE}]`)].map(leadForm);
}

export function leadFormOf(target: EventTarget | null): LeadForm | null {
  return target instanceof HTMLFormElement && target.hasAttribute(FORM_ATTRIBUTE) ? leadForm(target) : null;
}

/** Frameworks may reuse an element for another form. */
function leadForm(form: HTMLFormElement): LeadForm {
  const formId = form.getAttribute(FORM_ATTRIBUTE) ?? '';
  const siteKey = form.getAttribute(SITE_ATTRIBUTE) || tag?.getAttribute(SITE_ATTRIBUTE) || '';
  const before = known.get(form);
  return before?.formId === formId && before.siteKey === siteKey ? before : enhance(form, siteKey, formId);
}

function enhance(form: HTMLFormElement, siteKey: string, formId: string): LeadForm {
  const lead: LeadForm = {
    form,
    siteKey,
    formId,
    config: DEFAULT_CONFIG,
    usableSinceMs: performance.now(),
    sending: null,
    unmark: [],
  };
  known.set(form, lead);
  const honeypot = addHoneypot(form, DEFAULT_CONFIG.honeypot_field);
  void readConfig(siteKey, formId).then((config) => {
    lead.config = config;
    if (honeypot) honeypot.name = config.honeypot_field;
  });
  return lead;
}

export function restartTime(lead: LeadForm): void {
  lead.usableSinceMs = performance.now();
}

export function hold(lead: LeadForm, submitter: Submitter): NonNullable<LeadForm['sending']> {
  lead.form.setAttribute('aria-busy', 'true');
  lead.sending = { submitter };
  return lead.sending;
}

export function release(lead: LeadForm): void {
  lead.form.removeAttribute('aria-busy');
  lead.sending = null;
}
