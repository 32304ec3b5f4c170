import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { counted, formatNumber } from '../../../format.ts';
import { Card } from '../../../ui/card.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';

export type Preview = Awaited<ReturnType<typeof call<'retention'>>>;
export type ClassPreview = Preview['classes'][number];

const NAMES: Readonly<Record<ClassPreview['class'], string>> = {
  sessions: 'Visits',
  leads: 'Leads',
  set_aside_leads: 'Rejected and testing leads',
  flow_send_bodies: 'Contents of deliveries',
  unmatched_events: 'CRM events without a lead',
  archives: 'Archives of visits',
  replays: 'Parts of recordings',
};

const COLUMNS: readonly Column<ClassPreview>[] = [
  { key: 'class', title: 'What', cell: (row) => NAMES[row.class] },
  {
    key: 'days',
    title: 'Kept',
    className: 'whitespace-nowrap',
    cell: ({ days }) => (days === null ? 'Forever' : counted(days, 'day')),
  },
  { key: 'rows', title: 'Will be removed', isNumber: true, cell: ({ rows }) => formatNumber(rows) },
  {
    key: 'oldest',
    title: 'Oldest',
    isFrom: 'sm',
    cell: ({ oldest }) => (oldest === null ? '' : <Time value={oldest} />),
  },
];

export function previewOptions(typed: Record<string, string>) {
  return queryOptions({
    queryKey: queryKeys.retentionPreview(typed),
    queryFn: ({ signal }): Promise<Preview> => call('retention', { query: typed, signal }),
  });
}

/** What the values in the form would remove at the next run, before they are saved. */
export function RetentionPreview({ typed }: { typed: Record<string, string> }) {
  const query = useDeferredValue(typed);
  const { data, isPlaceholderData, error } = useQuery({
    ...previewOptions(query),
    placeholderData: keepPreviousData,
  });
  if (error !== null) {
    return (
      <Card title="What the next run removes">
        <p className="text-ink-soft">Enter whole numbers of days to see what would be removed.</p>
      </Card>
    );
  }
  if (data === undefined) return null;
  return (
    <Card
      title="What the next run removes"
      hint={
        <>
          With the values above, on <Time value={data.next_run_at} />. This cannot be undone.
        </>
      }
      isFlush
    >
      <Table
        caption="What the next run removes"
        columns={COLUMNS}
        rows={data.classes}
        rowKey={(row) => row.class}
        rowClassName={({ rows }) => (rows > 0 ? 'font-medium' : 'text-ink-soft')}
        isStale={isPlaceholderData}
      />
    </Card>
  );
}
