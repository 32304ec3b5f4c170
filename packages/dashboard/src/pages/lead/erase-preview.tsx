import type { WouldErase } from '@leadtrail/contract/erase';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { counted } from '../../format.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { otherName } from './use-merging.ts';

export type Identifiers = { email?: string; phone?: string; visitor_id?: string };

/** What an erasure by these identifiers would delete (dry run); not cached once the dialog is closed. */
export function useErasePreview(person: Identifiers) {
  return useQuery({
    queryKey: queryKeys.erasePreview(person),
    queryFn: async ({ signal }) => {
      const answer = await call('erasePerson', { body: { ...person, dry_run: true }, signal });
      return 'dry_run' in answer ? answer : null;
    },
    enabled: Object.keys(person).length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

export function ErasePreview({ preview }: { preview: ReturnType<typeof useErasePreview> }) {
  if (preview.data != null) return <Found would={preview.data} />;
  if (preview.isError) return <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />;
  if (!preview.isFetching) return <p className="text-ink-soft">Choose at least one.</p>;
  return (
    <div role="status" aria-label="Loading" className="grid gap-2">
      <Skeleton className="h-5" />
      <Skeleton className="h-16" />
    </div>
  );
}

function Found({ would: { counts, leads } }: { would: WouldErase }) {
  return (
    <section className="grid gap-3 rounded-lg border border-line p-3.5">
      <div className="grid gap-1">
        <h3 className="text-[0.8125rem] font-medium">What will be deleted</h3>
        <p className="text-ink-soft">{partsOf(counts).join(', ') || 'Nothing was found.'}</p>
      </div>
      {leads.length > 0 && (
        <ul className="grid max-h-44 gap-2 overflow-y-auto">
          {leads.map((lead) => (
            <li key={lead.lead_id} className="grid">
              <span className="font-medium wrap-anywhere">{otherName(lead)}</span>
              <span className="text-[0.8125rem] text-ink-soft">
                Lead {lead.lead_id}, found by {reasonsOf(lead.because)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

type Counts = WouldErase['counts'];

const PARTS: readonly [keyof Counts, noun: string, nouns?: string][] = [
  ['leads', 'lead'],
  ['submissions', 'submission'],
  ['flow_sends', 'delivery', 'deliveries'],
  ['crm_events', 'CRM event'],
  ['set_aside_leads', 'rejected or testing lead', 'rejected and testing leads'],
  ['sessions', 'visit'],
  ['replays', 'recording'],
];

/** Omits zero counts. */
export function partsOf(counts: Counts): string[] {
  return PARTS.filter(([name]) => counts[name] > 0).map(([name, noun, nouns]) =>
    counted(counts[name], noun, nouns),
  );
}

const REASONS: Readonly<Record<string, string>> = {
  email: 'e-mail address',
  phone: 'phone number',
  visitor_id: 'visitor ID',
};

const all = new Intl.ListFormat('en-GB');

function reasonsOf(because: string): string {
  return all.format(because.split(', ').map((name) => REASONS[name] ?? name));
}
