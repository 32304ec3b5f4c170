import type { LeadForm } from './form/lead-form.ts';
import { showSending } from './form-extras/button.ts';
import { english } from './form-extras/english.ts';
import { fieldHints } from './form-extras/field-hints.ts';
import { isAway } from './form-extras/is-away.ts';
import { drop, keep, start } from './form-extras/keeper.ts';
import { lastCta } from './form-extras/last-cta.ts';
import { fillOptions } from './form-extras/options.ts';
import { prepare, prove } from './form-extras/spam-check.ts';

/** Optional features of forms, loaded on demand by the form script. */
export const extras = { start, keep, drop, isAway, apply, prove, showSending, english, fieldsOf, replace };

function apply(lead: LeadForm): void {
  fillOptions(lead.form, lead.config.options);
  prepare(lead);
}

/** Further fields of a form. */
function fieldsOf(form: HTMLFormElement, mayKeep: boolean): [string, string | undefined][] {
  return [
    ['__fields', fieldHints(form)],
    ['CTA_NAME', mayKeep ? lastCta() : undefined],
  ];
}

/** Replaces the form by a text. */
function replace(form: HTMLFormElement, text: HTMLElement): void {
  form.insertAdjacentElement('afterend', text);
  form.setAttribute('hidden', '');
  // A page's own `display` for forms outranks `hidden`.
  form.style.setProperty('display', 'none', 'important');
  // The focused button is gone.
  text.tabIndex = -1;
  text.focus();
}
