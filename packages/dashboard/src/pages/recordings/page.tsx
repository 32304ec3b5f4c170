import type { FormProgress } from '@leadtrail/contract/form-progress';
import { LIST_DEFAULT } from '@leadtrail/contract/limits';
import type { ReplayItem } from '@leadtrail/contract/replay';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Play, Video } from 'lucide-react';
import { useCallback } from 'react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { counted, countryName, formatDuration } from '../../format.ts';
import { FrameBar } from '../../frame/frame-bar.tsx';
import { useFrame } from '../../frame/use-frame.ts';
import { useFrameScope } from '../../frame/use-frame-scope.ts';
import { useValueName, valueName } from '../../frame/value-name.ts';
import { type MoveList, PagedList } from '../../shared/paged-list.tsx';
import { ReplayDialog } from '../../shared/replay/replay-dialog.tsx';
import { defined } from '../../shared/search-params.ts';
import { useSearchParams } from '../../shared/use-search-params.ts';
import { VisitorLeadLink } from '../../shared/visitor-lead-link.tsx';
import { Button } from '../../ui/button.tsx';
import type { Choice } from '../../ui/choice.ts';
import { Page } from '../../ui/page.tsx';
import { SearchInput } from '../../ui/search-input.tsx';
import { Select } from '../../ui/select.tsx';
import { EmptyState } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import type { RecordingsSearch } from './search.ts';

const FORMS: readonly Choice<FormProgress | 'any'>[] = [
  { value: 'any', label: 'Any form activity' },
  { value: 'none', label: 'No form seen' },
  { value: 'seen', label: 'Form seen' },
  { value: 'abandoned', label: 'Form abandoned' },
  { value: 'sent', label: 'Form sent' },
];
const LEADS: readonly Choice<'any' | 'true' | 'false'>[] = [
  { value: 'any', label: 'Leads and others' },
  { value: 'true', label: 'Leads only' },
  { value: 'false', label: 'No leads' },
];

/** All recorded visits, latest first. */
export function RecordingsPage() {
  const [{ offset = 0, q, form, lead, replay }, change] = useSearchParams<RecordingsSearch>();
  const [frame, changeFrame] = useFrame('all');
  const scope = useFrameScope(frame);
  const nameOf = useValueName();
  const isNarrowed =
    q !== undefined ||
    form !== undefined ||
    lead !== undefined ||
    frame.sites.length > 0 ||
    frame.when !== 'all';
  const asked = defined({
    page: q,
    form,
    lead: lead === undefined ? undefined : String(lead),
    ...scope,
    limit: LIST_DEFAULT,
    offset,
  });
  const query = useQuery({
    queryKey: queryKeys.recordingList(asked),
    queryFn: async ({ signal }) => {
      const { sessions: rows, total } = await call('replaySessions', { query: asked, signal });
      return { rows, total };
    },
    placeholderData: keepPreviousData,
    enabled: scope !== undefined,
  });
  const move = useCallback<MoveList>((to, how) => change({ offset: to || undefined }, how), [change]);
  const columns: Column<ReplayItem>[] = [
    {
      key: 'page',
      title: 'Visit',
      cell: ({ session_id, entry_page, site_key, page_views, started_at, duration_ms, form, lead }) => (
        <span className="flex min-w-0 items-center gap-3">
          <Button
            size="small"
            icon={<Play aria-hidden="true" />}
            aria-label={`Play the visit to ${entry_page === null ? 'an unknown page' : pageName(entry_page)}`}
            onClick={() => change({ replay: session_id, offset: offset || undefined })}
          />
          <span className="grid min-w-0">
            <bdi className="wrap-anywhere">{pageName(entry_page)}</bdi>
            <span className="text-[0.8125rem] text-ink-faint">
              {[
                site_key !== null && nameOf({ dimension: 'site', value: site_key }),
                page_views !== null && counted(page_views, 'page'),
                formatDuration(duration_ms),
                form !== null && form !== 'none' && FORMS.find(({ value }) => value === form)?.label,
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
            {/* For columns that a narrow table hides. */}
            <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[0.8125rem] text-ink-faint @lg:hidden">
              <Time value={started_at} isAgo />
              {lead !== null && <VisitorLeadLink lead={lead} />}
            </span>
          </span>
        </span>
      ),
    },
    { key: 'lead', title: 'Lead', cell: ({ lead }) => <VisitorLeadLink lead={lead} />, isFrom: 'sm' },
    {
      key: 'country',
      title: 'Country',
      cell: ({ country }) => (country === null ? '–' : countryName(country)),
      isFrom: 'lg',
    },
    { key: 'time', title: 'Started', cell: ({ started_at }) => <Time value={started_at} />, isFrom: 'sm' },
  ];
  return (
    <Page title="Recordings" hint="Recorded visits. What people type is never recorded.">
      <FrameBar frame={frame} onChange={changeFrame} parts={['sites']} />
      <div className="flex flex-wrap gap-2">
        <SearchInput
          label="Search pages"
          placeholder="Part of a page address"
          value={q ?? ''}
          onSearch={(typed) => change({ q: typed })}
          className="w-full sm:w-72"
        />
        <Select
          label="Form"
          className="flex-1 sm:w-48 sm:flex-none"
          value={form ?? 'any'}
          choices={FORMS}
          onChange={(chosen) => change({ form: chosen === 'any' ? undefined : chosen })}
        />
        <Select
          label="Lead"
          className="flex-1 sm:w-48 sm:flex-none"
          value={lead === undefined ? 'any' : `${lead}`}
          choices={LEADS}
          onChange={(chosen) => change({ lead: chosen === 'any' ? undefined : chosen === 'true' })}
        />
      </div>
      <PagedList
        query={query}
        caption="Recordings"
        columns={columns}
        rowKey={({ session_id }) => session_id}
        offset={offset}
        limit={LIST_DEFAULT}
        onMove={move}
        counted={(total) => counted(total, 'recording')}
        empty={
          isNarrowed ? (
            <EmptyState icon={<Video aria-hidden="true" />} title="No recording matches">
              Choose a longer period, or fewer filters.
            </EmptyState>
          ) : (
            <EmptyState icon={<Video aria-hidden="true" />} title="No recordings yet">
              Turn on recording under Settings, Retention and replay.
            </EmptyState>
          )
        }
      />
      <ReplayDialog
        sessionId={replay}
        onClose={() => change({ replay: undefined, offset: offset || undefined }, { isReplacing: true })}
      />
    </Page>
  );
}

/** Without the query, such as campaign parameters. */
function pageName(address: string | null): string {
  return address === null
    ? '–'
    : valueName({ dimension: 'entry_page', value: address.replace(/[?#].*$/, '') });
}
