import { addressOf, send } from '../../api/client.ts';
import type { LeadFilters } from '../../api/query-keys.ts';
import { download } from '../../shared/download.ts';
import { toastProblem, toasts } from '../../ui/toast.tsx';

export type ExportFormat = 'csv' | 'json';

/** Downloads the leads that match, or those with these ids. */
export async function exportLeads(
  wanted: LeadFilters | { ids: string },
  format: ExportFormat,
): Promise<void> {
  try {
    const address = addressOf('exportLeads', { query: { ...wanted, format } });
    const name = `leads-${new Date().toISOString().slice(0, 10)}.${format}`;
    await download(await send('GET', address), name);
    toasts.add({ title: `${name} downloaded` });
  } catch (error) {
    toastProblem('The leads were not exported', error);
  }
}
