import type { QuestionAnswer } from '@leadtrail/contract/questions';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { Frame, FrameFilter } from '../../frame/frame.ts';
import { useAnswer } from '../../frame/use-frame.ts';
import { useValueName } from '../../frame/value-name.ts';
import { classes } from '../../ui/classes.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { Cells } from './cells.tsx';
import { tableQuestion } from './question.ts';
import { type CampaignsSearch, levelsOf } from './search.ts';

type Row = QuestionAnswer['rows'][number];
type Props = {
  frame: Frame;
  search: CampaignsSearch;
  currency: string;
  /** The filters of the parent rows. */
  within: readonly FrameFilter[];
};

const INNER_MAX = 50;
/** The first column stays while the figures scroll beneath it. A phone has no room for that. */
export const STICKY = 'sm:sticky sm:left-0 sm:z-10 print:static';
/** Opaque equivalents of the translucent colours of the other cells. */
export const COVERS = {
  head: 'bg-surface',
  total: 'bg-[color-mix(in_srgb,var(--sunken)_40%,var(--surface))]',
  row: 'bg-surface group-hover/row:bg-[color-mix(in_srgb,var(--sunken)_50%,var(--surface))]',
} as const;

export function LevelRows({ rows, ...shared }: Props & { rows: readonly Row[] }) {
  const dimension = levelsOf(shared.search)[shared.within.length] ?? 'source';
  return rows.map((row) => {
    const value = row.dimensions[0] ?? '';
    return <OpenableRow key={value} row={row} filter={{ dimension, value }} {...shared} />;
  });
}

function OpenableRow({ row, filter, ...shared }: Props & { row: Row; filter: FrameFilter }) {
  const { frame, search, currency, within } = shared;
  const [isOpen, setOpen] = useState(false);
  const path = [...within, filter];
  const hasMore = levelsOf(search).length > path.length;
  const name = useValueName()(filter);
  return (
    <>
      <tr className="group/row border-b border-line last:border-b-0 hover:bg-sunken/50">
        <th
          scope="row"
          className={classes(
            STICKY,
            COVERS.row,
            'max-w-52 py-0.5 pr-3 pl-4 text-left font-normal sm:max-w-80 sm:pl-5',
          )}
        >
          <div style={{ paddingInlineStart: `${within.length * 1.25}rem` }}>
            {hasMore ? (
              <button
                type="button"
                aria-expanded={isOpen}
                title={name}
                onClick={() => setOpen(!isOpen)}
                className="-ml-1.5 flex min-h-11 max-w-full items-center gap-1 rounded-md px-1.5 hover:bg-sunken sm:min-h-8"
              >
                <ChevronRight
                  aria-hidden="true"
                  className={classes(
                    'size-4 shrink-0 text-ink-faint transition-transform print:hidden',
                    isOpen && 'rotate-90',
                  )}
                />
                <bdi className="min-w-0 truncate">{name}</bdi>
              </button>
            ) : (
              <bdi title={name} className="block truncate py-3 pl-3.5 sm:py-1.5">
                {name}
              </bdi>
            )}
          </div>
        </th>
        <Cells frame={frame} search={search} figures={row} currency={currency} within={path} />
      </tr>
      {isOpen && <InnerRows {...shared} within={path} />}
    </>
  );
}

function InnerRows(shared: Props) {
  const { frame, search, within } = shared;
  const dimension = levelsOf(search)[within.length] ?? 'source';
  const { data, error } = useAnswer({
    ...tableQuestion(frame, search, { dimensions: [dimension], within }),
    limit: INNER_MAX,
  });
  if (data !== undefined) return <LevelRows {...shared} rows={data.rows} />;
  return (
    <tr>
      <td colSpan={99} className="px-5 py-2 text-[0.8125rem] text-ink-soft">
        {error === null ? (
          <span role="status" aria-label="Loading">
            <Spinner />
          </span>
        ) : (
          error.message
        )}
      </td>
    </tr>
  );
}
