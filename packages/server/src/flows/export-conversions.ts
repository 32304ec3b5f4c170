import { conversionFile } from '../domain/conversions/conversion-files.ts';
import type { ConversionFilter } from '../store/conversions.ts';
import type { Store } from '../store/store.ts';

const LEADS_PER_STEP = 200;

export type ConversionExport = ConversionFilter & { name: string | undefined; currency: string };

/**
 * Streams the file for an ad platform. Its conversions are marked as exported, in one transaction, before the
 * stream ends: a download that breaks off, or whose conversions another export has taken meanwhile, remains
 * incomplete and marks nothing.
 */
export async function* exportConversions(
  { store, now }: { store: Store; now: () => number },
  { name, currency, ...filter }: ConversionExport,
  { leavesTrace }: { leavesTrace: boolean },
): AsyncIterable<string> {
  const { head, line } = conversionFile(filter.platform, filter.goal, { name, currency });
  const leadIds: number[] = [];
  let text = head;
  for (let after: number | null = 0; after !== null; ) {
    const page = await store.conversionsAfter({ ...filter, after, max: LEADS_PER_STEP });
    leadIds.push(...page.conversions.map(({ leadId }) => leadId));
    text += page.conversions.map(line).join('');
    if (text !== '') yield text;
    text = '';
    after = page.next;
  }
  if (leavesTrace && leadIds.length > 0) await store.noteExported({ ...filter, leadIds, now: now() });
}
