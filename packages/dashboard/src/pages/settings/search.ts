import { useNavigate, useSearch } from '@tanstack/react-router';
import { offsetOf, oneOf, type RawSearch, said, textOf } from '../../search-params.ts';

export const OPTION_KINDS = ['source', 'country', 'project', 'city'] as const;
export type OptionKind = (typeof OPTION_KINDS)[number];

export type SettingsSearch = {
  /** The site whose details are shown. */
  site?: number;
  /** Which of its codes: a script, or `form:` and the id of a form. */
  code?: string;
  /** Part of a site's name, key or domains. */
  q?: string;
  kind?: OptionKind;
};

export function readSettingsSearch(search: RawSearch): SettingsSearch {
  return said({
    site: offsetOf(search.site),
    code: textOf(search.code),
    q: textOf(search.q),
    kind: oneOf(search.kind, OPTION_KINDS),
  });
}

export function useSettingsSearch(): SettingsSearch {
  return readSettingsSearch(useSearch({ strict: false }) as RawSearch);
}

/** Where a section is, for links and for going there. */
export function placeOf(section: string, search: SettingsSearch = {}) {
  return { to: '/settings/$section' as const, params: { section }, search: search as object };
}

/** Changes what the address says within a section. */
export function useShow(section: string): (search: SettingsSearch, how?: { replace?: boolean }) => void {
  const navigate = useNavigate();
  return (search, { replace = false } = {}) =>
    void navigate({ ...placeOf(section, search), replace, resetScroll: false });
}
