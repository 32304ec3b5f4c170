import { webUrl } from '../../lib/web-address.ts';
import { type FormSettings, USUAL_SETTINGS } from '../setup/form-settings.ts';
import type { LeadForm } from './form-fields.ts';
import { redirectTarget } from './redirect-target.ts';

/** What the sender of a form sees next: another page, or a text. */
export type NextSight = { redirectTo: string | null; text: string | null };

export function afterSending(
  form: LeadForm,
  settings: FormSettings = USUAL_SETTINGS,
  referer: string | undefined,
  internalTeams: readonly string[],
): NextSight {
  const { after_sending, redirect_url, texts } = settings;
  if (after_sending === 'text') return { redirectTo: null, text: texts.success ?? '' };
  const own = after_sending === 'address' ? ownAddress(redirect_url, referer) : null;
  return { redirectTo: own ?? redirectTarget(form, referer, internalTeams), text: null };
}

/** Null: a path without a referer to resolve it against. */
function ownAddress(address: string, referer: string | undefined): string | null {
  const base = webUrl(referer ?? '')?.origin;
  return URL.parse(address, base)?.href ?? null;
}
