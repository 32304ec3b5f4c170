import type { LeadForm } from '../form/lead-form.ts';

type Checks = typeof import('../spam-check.ts');

/** Forms with a spam check. */
const checked = new WeakSet<LeadForm>();
let loading: Promise<Checks | undefined> | undefined;

/** Loaded only for forms with a spam check. */
function load(): Promise<Checks | undefined> {
  loading ??= import(new URL('sc.js', import.meta.url).href).catch(() => undefined);
  return loading;
}

export function prepare(lead: LeadForm): void {
  const { spam_check = 'none' } = lead.config;
  if (spam_check === 'none' || checked.has(lead)) return;
  checked.add(lead);
  load().then((checks) => checks?.prepare(lead));
}

export async function prove(lead: LeadForm, data: FormData): Promise<void> {
  if (checked.has(lead)) await (await load())?.prove(lead, data);
}
