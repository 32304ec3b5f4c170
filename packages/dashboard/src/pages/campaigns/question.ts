import type { DimensionName, MetricName } from '@leadtrail/contract/question-fields';
import type { AskedQuestion } from '../../api/query-keys.ts';
import type { Frame, FrameFilter } from '../../frame/frame.ts';
import { questionFrame } from '../../frame/use-frame.ts';
import { type CampaignsSearch, columnsOf } from './search.ts';

/** The question of the table, or of one of its levels. */
export function tableQuestion(
  frame: Frame,
  search: CampaignsSearch,
  { dimensions, within = [] }: { dimensions: readonly DimensionName[]; within?: readonly FrameFilter[] },
): AskedQuestion {
  const columns = columnsOf(search);
  const sort = sortOf(search);
  return {
    ...questionFrame(frame, within),
    metrics: [...columns],
    dimensions: [...dimensions],
    order_by: [[sort, search.order ?? 'desc']],
    attribution: search.attribution ?? 'last_non_direct',
    ...(search.goal === undefined ? {} : { goal: search.goal }),
  };
}

/** A column that is not shown cannot be sorted by. */
export function sortOf(search: CampaignsSearch): MetricName {
  const columns = columnsOf(search);
  const wanted = search.sort ?? 'leads';
  return columns.includes(wanted) ? wanted : (columns[0] ?? 'leads');
}
