import type { LeadForm } from './form/lead-form.ts';
import { addToken, addWidget } from './spam-check/widget.ts';
import { makeId, prepareId } from './spam-check/work.ts';

/**
 * The spam check of a form, loaded on demand. If anything fails here,
 * the form is sent anyway: the service decides.
 */

export function prepare(lead: LeadForm): void {
  if (lead.config.spam_check === 'proof_of_work') prepareId(lead);
  else addWidget(lead);
}

export async function prove(lead: LeadForm, data: FormData): Promise<void> {
  try {
    if (lead.config.spam_check === 'proof_of_work') await makeId(lead);
    else await addToken(lead, data);
  } catch {}
}
