import type { DimensionName } from '@leadtrail/contract/question-fields';
import { countryName } from '../format.ts';
import type { FrameFilter } from './frame.ts';
import { useWorkspace } from './use-workspace.ts';

const MISSING: ReadonlyMap<string, string> = new Map([
  ['(direct)', 'Direct'],
  ['(none)', 'None'],
  ['(unknown)', 'Unknown'],
]);
const PAGES: ReadonlySet<DimensionName> = new Set(['page', 'entry_page', 'exit_page']);

/** How a value of a dimension is written, with the names of sites. */
export function useValueName(): (filter: FrameFilter) => string {
  const { sites } = useWorkspace();
  return (filter) =>
    (filter.dimension === 'site' && sites.find(({ key }) => key === filter.value)?.name) || valueName(filter);
}

/** How a value of any dimension but the site is written. */
export function valueName({ dimension, value }: FrameFilter): string {
  const missing = MISSING.get(value);
  if (missing !== undefined) return missing;
  if (dimension === 'country' && !value.startsWith('(')) return countryName(value);
  if (PAGES.has(dimension)) return value.replace(/^https?:\/\//, '');
  if (dimension === 'device' && !value.startsWith('(')) return value.charAt(0).toUpperCase() + value.slice(1);
  if (dimension === 'hour' && !value.startsWith('(')) return `${value}:00`;
  return value;
}
