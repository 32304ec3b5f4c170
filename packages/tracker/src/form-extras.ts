import type { LeadForm } from './form/lead-form.ts';
import { showSending } from './form-extras/button.ts';
import { english } from './form-extras/english.ts';
import { fieldHints } from './form-extras/field-hints.ts';
import { isAway } from './form-extras/is-away.ts';
import { drop, keep, start } from './form-extras/keeper.ts';
import { lastCta } from './form-extras/last-cta.ts';
import { fillOptions } from './form-extras/options.ts';
import { prepare, prove } from './form-extras/spam-check.ts';

/** What forms can do without, loaded apart by the form script. */
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

/** Shows a text in place of the form. */
function replace(form: HTMLFormElement, text: HTMLElement): void {
  form.insertAdjacentElement('afterend', text);
  form.setAttribute('hidden', '');
  // Pages lay out their forms, which outranks `hidden`.
  form.style.setProperty('display', 'none', 'important');
  // The button that had the focus is gone.
  text.tabIndex = -1;
  text.focus();
}
