import { hasConsent } from '../privacy.ts';
import { tag } from '../script-tag.ts';
import { extras, type Submitter } from './extras.ts';
import { DEFAULT_CONFIG, type FormConfig, readConfig } from './form-config.ts';
import { addHoneypot } from './honeypot.ts';
import { textOf } from './texts.ts';

const HOLD_MS_MAX = 45_000;

export const FORM_ATTRIBUTE = 'data-leadtrail-form';
export const SITE_ATTRIBUTE = 'data-site';

export type LeadForm = {
  readonly form: HTMLFormElement;
  readonly siteKey: string;
  readonly formId: string;
  config: FormConfig;
  /** Undefined: not requested yet, for lack of consent. */
  asked?: Promise<void>;
  readonly honeypot: HTMLInputElement | null;
  /** When it became usable, on the page's monotonic clock. */
  usableSinceMs: number;
  /** A new object per attempt, so that late responses can be told apart. */
  sending: { submitter: Submitter; restore?: (() => void) | undefined } | null;
  /** Unchanged while the same input is sent again. */
  submissionId?: string | undefined;
  input?: string | undefined;
  /** Undo functions for fields marked as invalid. */
  unmark: (() => void)[];
};

const known = new WeakMap<Element, LeadForm>();

/** All lead forms of the page, enhanced. */
export function allLeadForms(): LeadForm[] {
  return [...document.querySelectorAll<HTMLFormElement>(`form[${FORM_ATTRIBUTE}]`)].map((form) => {
    const lead = leadForm(form);
    // Consent may have been given, and apps add fields later.
    askConfig(lead);
    extras.apply?.(lead);
    return lead;
  });
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
    honeypot: addHoneypot(form, DEFAULT_CONFIG.honeypot_field),
    usableSinceMs: performance.now(),
    sending: null,
    unmark: [],
  };
  known.set(form, lead);
  askConfig(lead);
  return lead;
}

function askConfig(lead: LeadForm): void {
  if (lead.asked || !hasConsent()) return;
  const lang = lead.form.closest('[lang]')?.getAttribute('lang') ?? '';
  lead.asked = readConfig(lead.siteKey, lead.formId, lang).then((config) => {
    lead.config = config;
    if (lead.honeypot) lead.honeypot.name = config.honeypot_field;
    extras.apply?.(lead);
  });
}

export function restartTime(lead: LeadForm): void {
  lead.usableSinceMs = performance.now();
}

export function hold(lead: LeadForm, submitter: Submitter): NonNullable<LeadForm['sending']> {
  lead.form.setAttribute('aria-busy', 'true');
  const restore = extras.showSending?.(lead.form, submitter, textOf(lead.config, 'sending'));
  const attempt = { submitter, restore };
  lead.sending = attempt;
  // By then there is an answer or another page, unless what comes next is an anchor, a download or in another window.
  setTimeout(() => {
    if (lead.sending === attempt) release(lead);
  }, HOLD_MS_MAX);
  return attempt;
}

export function release(lead: LeadForm): void {
  lead.form.removeAttribute('aria-busy');
  lead.sending?.restore?.();
  lead.sending = null;
}
