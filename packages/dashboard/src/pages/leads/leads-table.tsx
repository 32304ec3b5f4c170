import type { LeadSort } from '@leadtrail/contract/leads';
import { useQuery } from '@tanstack/react-query';
import { counted } from '../../format.ts';
import type { LeadList } from '../../shared/lead-lists.ts';
import type { ChangeSearch } from '../../shared/use-search-params.ts';
import { Card } from '../../ui/card.tsx';
import type { Choice } from '../../ui/choice.ts';
import { classes } from '../../ui/classes.ts';
import { Pagination } from '../../ui/pagination.tsx';
import { Select } from '../../ui/select.tsx';
import { ErrorState, SkeletonRows } from '../../ui/states.tsx';
import { LeadRow } from './lead-row.tsx';
import { NoLeads } from './no-leads.tsx';
import { listOptions, type ScopedSearch } from './queries.ts';
import { type LeadsSearch, LIMIT_DEFAULT, LIMITS } from './search.ts';
import { SortHeader } from './sort-header.tsx';
import type { LeadLinks } from './use-lead-links.ts';
import { useReview } from './use-review.ts';

type Props = { search: ScopedSearch; onChange: ChangeSearch<LeadsSearch>; links: LeadLinks };

const SIZES: readonly Choice<string>[] = [LIMIT_DEFAULT, ...LIMITS].map((limit) => ({
  value: String(limit),
  label: `${limit} per page`,
}));

const NAME = [['name_asc', 'ascending']] as const;
const SUBMITTED = [
  ['newest', 'descending'],
  ['oldest', 'ascending'],
] as const;
const ENGAGEMENT = [
  ['score_desc', 'descending'],
  ['score_asc', 'ascending'],
] as const;
const RISK = [
  ['risk_desc', 'descending'],
  ['risk_asc', 'ascending'],
] as const;

export function LeadsTable({ search, onChange, links }: Props) {
  const { data, error, refetch, isPlaceholderData } = useQuery(listOptions(search));
  const { limit = LIMIT_DEFAULT, offset = 0 } = search;
  useReview(data?.leads);

  if (error !== null && (data === undefined || isPlaceholderData)) {
    return (
      <Card isFlush>
        <ErrorState error={error} onRetry={refetch} />
      </Card>
    );
  }
  return (
    <Card isFlush>
      <div className="flex h-12 items-center justify-between gap-4 border-b border-line px-4 sm:px-5">
        <p aria-live="polite" className="font-medium tabular-nums">
          {data !== undefined && counted(data.total, 'lead')}
        </p>
        <div className="w-34">
          <Select
            label="Leads per page"
            choices={SIZES}
            value={String(limit)}
            onChange={(chosen) => onChange({ limit: LIMITS.find((each) => String(each) === chosen) })}
          />
        </div>
      </div>
      {data === undefined ? (
        <SkeletonRows rows={12} />
      ) : data.leads.length === 0 ? (
        <NoLeads search={search} total={data.total} onChange={onChange} />
      ) : (
        <Rows list={data} isStale={isPlaceholderData} search={search} onChange={onChange} links={links} />
      )}
      {data !== undefined && (
        <Pagination
          offset={offset}
          limit={limit}
          total={data.total}
          onMove={(moved) => onChange({ offset: moved })}
        />
      )}
    </Card>
  );
}

function Rows({
  list,
  isStale,
  search,
  onChange,
  links,
}: Props & {
  list: LeadList;
  /** Rows of the previous view, while its own load. */
  isStale: boolean;
}) {
  const sorting: { sort: LeadSort; onSort: (sort: LeadSort) => void } = {
    sort: search.sort ?? 'newest',
    onSort: (sort) => onChange({ sort: sort === 'newest' ? undefined : sort }),
  };
  const orders = <O,>(given: readonly O[]) => (search.behind === undefined ? given : []);
  return (
    <div
      className={classes('@container overflow-x-auto transition-opacity', isStale && 'opacity-60')}
      aria-busy={isStale || undefined}
    >
      <table className="w-full table-fixed border-collapse text-left">
        <caption className="sr-only">Leads</caption>
        <thead>
          <tr className="border-b border-line text-xs text-ink-faint">
            <SortHeader title="Contact" orders={orders(NAME)} {...sorting} className="pl-4 sm:pl-5" />
            <th scope="col" className="hidden h-9 w-[22%] px-3 font-medium @2xl:table-cell">
              Project
            </th>
            <SortHeader
              title="Submitted"
              orders={orders(SUBMITTED)}
              {...sorting}
              className="hidden w-36 @2xl:table-cell"
            />
            <SortHeader
              title="Engagement"
              orders={orders(ENGAGEMENT)}
              {...sorting}
              className="hidden w-34 @4xl:table-cell"
            />
            <SortHeader
              title="Risk"
              orders={orders(RISK)}
              {...sorting}
              className="hidden w-20 @4xl:table-cell"
            />
            <th scope="col" className="h-9 w-34 px-3 pr-4 font-medium sm:w-38 sm:pr-5">
              Stage
            </th>
          </tr>
        </thead>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: Every row has a link that does the same. */}
        <tbody onClick={links.follow} onPointerEnter={links.prepare}>
          {list.leads.map((lead) => (
            <LeadRow key={lead.lead_id} lead={lead} hrefOf={links.hrefOf} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
