import type { OptionKind } from '@leadtrail/contract/dropdown-options';
import type { DimensionName } from '@leadtrail/contract/question-fields';
import { countryName } from '../format.ts';
import { readableHosts } from '../readable-hosts.ts';
import type { FrameFilter } from './frame.ts';
import { useNames } from './use-names.ts';

const MISSING: ReadonlyMap<string, string> = new Map([
  ['(direct)', 'Direct'],
  ['(none)', 'None'],
  ['(unknown)', 'Unknown'],
]);
const PAGES: ReadonlySet<DimensionName> = new Set(['page', 'entry_page', 'exit_page']);

/** Values sent by forms. Not the source of a visit: an ad and its search engine may share one. */
const LABELLED: ReadonlyMap<DimensionName, OptionKind> = new Map([
  ['form_source', 'source'],
  ['project', 'project'],
]);

/** How a value of a dimension is written, with the names of sites and the labels of options. */
export function useValueName(): (filter: FrameFilter) => string {
  const { siteNames, labelOf } = useNames();
  return (filter) => {
    const { dimension, value } = filter;
    if (dimension === 'site') return siteNames.get(value) ?? valueName(filter);
    const kind = LABELLED.get(dimension);
    const label = kind === undefined ? value : labelOf(kind, value);
    return label === value ? valueName(filter) : label;
  };
}

/** How a value of any dimension but the site is written. */
export function valueName({ dimension, value }: FrameFilter): string {
  const missing = MISSING.get(value);
  if (missing !== undefined) return missing;
  if (dimension === 'country' && !value.startsWith('(')) return countryName(value);
  if (PAGES.has(dimension)) return readableHosts(value.replace(/^https?:\/\//, ''));
  if (dimension === 'device' && !value.startsWith('(')) return value.charAt(0).toUpperCase() + value.slice(1);
  if (dimension === 'hour' && !value.startsWith('(')) return `${value}:00`;
  return readableHosts(value);
}
