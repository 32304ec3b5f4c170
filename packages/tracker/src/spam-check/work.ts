import type { LeadForm } from '../form/lead-form.ts';
import { searchProof } from './search-proof.ts';

/** Proof of work: a submission id that takes time to find, while the visitor fills in the form. */

/** The service accepts an id for two days. */
const ID_MS_MAX = 86_400_000;
/** Much shorter than a frame, so that typing never stutters. */
const SLICE_MS = 6;

type Prepared = { at: number; id: Promise<string> };

const prepared = new WeakMap<LeadForm, Prepared>();
const proven = new Set<string | undefined>();

export function prepareId(lead: LeadForm): void {
  // `focusin` may be over: a field may have the focus already.
  for (const touch of ['focusin', 'input']) lead.form.addEventListener(touch, () => preparedFor(lead));
}

/** The same input keeps its id, however often it is sent. */
export async function makeId(lead: LeadForm): Promise<void> {
  if (proven.has(lead.submissionId)) return;
  lead.submissionId = await preparedFor(lead).id;
  prepared.delete(lead);
  proven.add(lead.submissionId);
}

function preparedFor(lead: LeadForm): Prepared {
  let found = prepared.get(lead);
  if (!found || Date.now() - found.at > ID_MS_MAX) {
    found = { at: Date.now(), id: findId(lead) };
    prepared.set(lead, found);
  }
  return found;
}

async function findId({ siteKey, formId }: LeadForm): Promise<string> {
  const search = searchProof(`${siteKey}:${formId}:`, `${Date.now().toString(16)}-${randomId()}`);
  for (;;) {
    const end = performance.now() + SLICE_MS;
    do {
      const id = search();
      if (id) return id;
    } while (performance.now() < end);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** Insecure pages lack `randomUUID`; weak randomness suffices there. */
function randomId(): string {
  const digit = () => Math.floor(Math.random() * 16).toString(16);
  return crypto.randomUUID?.() ?? 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, digit);
}
