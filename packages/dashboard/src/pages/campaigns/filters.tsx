import { ENGAGEMENT_LABELS } from '../../charts/engagement.ts';
import { formatNumber } from '../../format.ts';
import { useReport } from '../../shared/campaign-reports.ts';
import type { ChangeSearch } from '../../shared/use-search-params.ts';
import { Button } from '../../ui/button.tsx';
import { type Choice, Select } from '../../ui/select.tsx';
import type { CampaignsSearch } from './search.ts';

const ALL = '';

/** The choices are those of the whole period, whatever else is selected. */
export function Filters({
  search: { project, source, engagement },
  days,
  onChoose,
}: {
  search: CampaignsSearch;
  days: number;
  onChoose: ChangeSearch<CampaignsSearch>;
}) {
  const projects = useReport('projects', { days });
  const sources = useReport('sources', { days });
  const isNarrowed = [project, source, engagement].some((each) => each !== undefined);
  return (
    <section aria-label="Filters" className="grid gap-2 sm:flex sm:flex-wrap sm:items-center">
      <Select
        label="Project"
        className="sm:w-56"
        value={project ?? ALL}
        choices={choicesOf(
          'All projects',
          (projects.data ?? []).map((row) => ({ name: row.project_name, count: row.submissions })),
          project,
        )}
        onChange={(chosen) => onChoose({ project: chosen || undefined })}
      />
      <Select
        label="Source"
        className="sm:w-56"
        value={source ?? ALL}
        choices={choicesOf(
          'All sources',
          (sources.data ?? []).map((row) => ({ name: row.source, count: row.submissions })),
          source,
        )}
        onChange={(chosen) => onChoose({ source: chosen || undefined })}
      />
      <Select
        label="Engagement"
        className="sm:w-48"
        value={engagement ?? ALL}
        choices={[
          { value: ALL, label: 'Any engagement' },
          ...ENGAGEMENT_LABELS.map((label) => ({ value: label, label })),
        ]}
        onChange={(chosen) => onChoose({ engagement: chosen === ALL ? undefined : chosen })}
      />
      {isNarrowed && (
        <Button
          look="ghost"
          className="justify-self-start"
          onClick={() => onChoose({ project: undefined, source: undefined, engagement: undefined })}
        >
          Clear filters
        </Button>
      )}
    </section>
  );
}

/** Keeps a choice from a link even if the period has no such value. */
function choicesOf(
  all: string,
  rows: readonly { name: string; count: number }[],
  chosen: string | undefined,
): Choice<string>[] {
  const named = rows.filter(({ name }) => name !== '');
  const isMissing = chosen !== undefined && !named.some(({ name }) => name === chosen);
  return [
    { value: ALL, label: all },
    ...(isMissing ? [{ value: chosen, label: chosen }] : []),
    ...named.map(({ name, count }) => ({ value: name, label: `${name} (${formatNumber(count)})` })),
  ];
}
