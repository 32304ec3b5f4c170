import { defined, oneOf, positiveOf, type RawSearch, textOf } from '../../shared/search-params.ts';

export const OPTION_KINDS = ['source', 'country', 'project', 'city'] as const;
export type OptionKind = (typeof OPTION_KINDS)[number];

export type SettingsSearch = {
  /** The site whose details are shown. */
  site?: number;
  /** The form of this site whose settings are shown. */
  form?: number;
  /** The shown code: a script, or `form:` and the id of a form. */
  code?: string;
  /** Part of a site's name, key or domains. */
  q?: string;
  kind?: OptionKind;
};

export function readSettingsSearch(search: RawSearch): SettingsSearch {
  return defined({
    site: positiveOf(search.site),
    form: positiveOf(search.form),
    code: textOf(search.code),
    q: textOf(search.q),
    kind: oneOf(search.kind, OPTION_KINDS),
  });
}
