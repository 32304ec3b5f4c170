import type { LeadSort } from '@leadtrail/contract/leads';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, startTransition, useEffect, useState } from 'react';
import { counted } from '../../format.ts';
import type { LeadList } from '../../shared/lead-lists.ts';
import type { ChangeSearch } from '../../shared/use-search-params.ts';
import { Card } from '../../ui/card.tsx';
import type { Choice } from '../../ui/choice.ts';
import { classes } from '../../ui/classes.ts';
import { Pagination } from '../../ui/pagination.tsx';
import { Select } from '../../ui/select.tsx';
import { ErrorState, SkeletonRows } from '../../ui/states.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { LEAD_COLUMNS } from './columns.tsx';
import { LeadRow, SHOWN_FROM } from './lead-row.tsx';
import { NoLeads } from './no-leads.tsx';
import { listOptions, type ScopedSearch } from './queries.ts';
import { RowCheckbox } from './row-checkbox.tsx';
import { type LeadsSearch, LIMIT_DEFAULT, LIMITS } from './search.ts';
import { SortHeader } from './sort-header.tsx';
import { COLUMN_NAMES, type TableLook, useTableLook } from './table-look.ts';
import { TableLookMenu } from './table-look-menu.tsx';
import type { LeadLinks } from './use-lead-links.ts';
import { useReview } from './use-review.ts';
import { type Selection, useSelection } from './use-selection.ts';

type Props = { search: ScopedSearch; onChange: ChangeSearch<LeadsSearch>; links: LeadLinks };

const SIZES: readonly Choice<string>[] = [LIMIT_DEFAULT, ...LIMITS].map((limit) => ({
  value: String(limit),
  label: `${limit} per page`,
}));

const NAME = [['name_asc', 'ascending']] as const;
/** Checkbox, contact and stage, in rem. */
const FIXED_WIDTH = 2.75 + 16 + 9.5;

export function LeadsTable({ search, onChange, links }: Props) {
  const { data, error, refetch, isPlaceholderData } = useQuery(listOptions(search));
  const { limit = LIMIT_DEFAULT, offset = 0 } = search;
  const [look, changeLook] = useTableLook();
  const rowsMax = useRowsMax(data !== undefined);
  const selection = useSelection(data?.leads);
  useReview(search, data, isPlaceholderData, selection.toggle);

  if (error !== null && (data === undefined || isPlaceholderData)) {
    return (
      <Card isFlush>
        <ErrorState error={error} onRetry={refetch} />
      </Card>
    );
  }
  const shown = data?.leads ?? [];
  const chosen = shown.filter(({ lead_id }) => selection.ids.has(lead_id)).length;
  const isPageSelected = shown.length > 0 && chosen === shown.length;
  return (
    <Card isFlush>
      <div className="flex min-h-12 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-4 py-1.5 sm:px-5">
        <div className="mr-auto flex flex-wrap gap-x-2 max-sm:flex-1">
          <p aria-live="polite" className="font-medium tabular-nums">
            {data !== undefined && counted(data.total, 'lead')}
          </p>
          <p className="text-ink-soft">{data !== undefined && alsoCounted(search, data)}</p>
        </div>
        <TableLookMenu look={look} onChange={changeLook} />
        <div className="w-38">
          <Select
            label="Leads per page"
            choices={SIZES}
            value={String(limit)}
            onChange={(size) => onChange({ limit: LIMITS.find((each) => String(each) === size) })}
          />
        </div>
      </div>
      {selection.ids.size > 0 && data !== undefined && (
        <BulkBar search={search} selection={selection} total={data.total} isPageSelected={isPageSelected} />
      )}
      {data === undefined ? (
        <SkeletonRows rows={12} />
      ) : data.leads.length === 0 ? (
        <NoLeads search={search} total={data.total} onChange={onChange} />
      ) : (
        <Rows
          list={data}
          rowsMax={rowsMax}
          isStale={isPlaceholderData}
          look={look}
          selection={selection}
          chosen={chosen}
          search={search}
          onChange={onChange}
          links={links}
        />
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

/** What the list has and figures of leads leave out. */
function alsoCounted({ behind, status }: ScopedSearch, { leads, total }: LeadList): string {
  if (behind !== undefined || status !== undefined || total === 0) return '';
  // Leads on other pages are not known.
  if (total > leads.length) return 'with any bots and fakes';
  return leads.some((lead) => lead.is_bot_lead === 1 || lead.status === 'fake') ? 'with bots and fakes' : '';
}

/** More than fit on a screen. */
const FIRST_ROWS = 30;

/** Renders the first screen first. A cached list is rendered whole, to keep its scroll position. */
function useRowsMax(isLoaded: boolean): number {
  const [isWhole, setIsWhole] = useState(isLoaded);
  useEffect(() => {
    if (isLoaded) startTransition(() => setIsWhole(true));
  }, [isLoaded]);
  return isWhole ? Number.POSITIVE_INFINITY : FIRST_ROWS;
}

/** Lets e-mail and phone fit side by side before the other columns grow. */
const CONTACT_WIDTH_MORE = 6;

/** Grows in proportion in a wide table, and shrinks in a narrow one, which shows only a few columns. */
function columnWidth(rem: number, tableRem: number): string {
  const share = (rem / (tableRem + CONTACT_WIDTH_MORE)) * 100;
  return `max(min(${rem}rem, 20cqw), ${share.toFixed(1)}cqw)`;
}

function Rows({
  list,
  rowsMax,
  isStale,
  look,
  selection,
  chosen,
  search,
  onChange,
  links,
}: Props & {
  list: LeadList;
  rowsMax: number;
  /** Rows of the previous view, while its own load. */
  isStale: boolean;
  look: TableLook;
  selection: Selection;
  /** How many of this page are selected. */
  chosen: number;
}) {
  const sorting: { sort: LeadSort; onSort: (sort: LeadSort) => void } = {
    sort: search.sort ?? 'newest',
    onSort: (sort) => onChange({ sort: sort === 'newest' ? undefined : sort }),
  };
  const orders = <O,>(given: readonly O[] = []) => (search.behind === undefined ? given : []);
  const width = look.columns.reduce((sum, name) => sum + LEAD_COLUMNS[name].width, FIXED_WIDTH);
  const isAll = chosen === list.leads.length;
  return (
    <div
      className={classes('@container overflow-x-auto transition-opacity', isStale && 'opacity-60')}
      aria-busy={isStale || undefined}
    >
      <table
        data-compact={look.isCompact || undefined}
        style={{ '--table-width': `${width}rem` } as CSSProperties}
        className="group/table w-full table-fixed border-collapse text-left @4xl:min-w-(--table-width)"
      >
        <caption className="sr-only">Leads</caption>
        <thead>
          <tr className="border-b border-line text-xs text-ink-faint">
            <th scope="col" className="h-9 w-11 pl-1 sm:w-12 sm:pl-2">
              <RowCheckbox
                label="Select all on this page"
                isChecked={isAll}
                isMixed={chosen > 0 && !isAll}
                onChange={() => selection.setPage(!isAll)}
              />
            </th>
            <SortHeader title="Contact" orders={orders(NAME)} {...sorting} className="pl-1" />
            {look.columns.map((name) => (
              <SortHeader
                key={name}
                title={COLUMN_NAMES[name]}
                orders={orders(LEAD_COLUMNS[name].orders)}
                {...sorting}
                className={SHOWN_FROM[LEAD_COLUMNS[name].from]}
                width={columnWidth(LEAD_COLUMNS[name].width, width)}
              />
            ))}
            <th scope="col" className="h-9 w-30 px-3 pr-4 font-medium sm:w-38 sm:pr-5">
              Stage
            </th>
          </tr>
        </thead>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: Every row has a link that does the same. */}
        <tbody onClick={links.follow} onPointerEnter={links.prepare}>
          {list.leads.slice(0, rowsMax).map((lead) => (
            <LeadRow
              key={lead.lead_id}
              lead={lead}
              columns={look.columns}
              isSelected={selection.isAllMatching || selection.ids.has(lead.lead_id)}
              onSelect={selection.toggle}
              hrefOf={links.hrefOf}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}
