import { LIST_MAX } from '@leadtrail/contract/limits';
import type { SiteSnippet } from '@leadtrail/contract/sites';
import {
  formScriptSnippet,
  formSnippet,
  type SnippetPlaces,
  tagManagerSnippet,
  trackerSnippet,
} from '../domain/setup/snippets.ts';
import type { Store } from '../store/store.ts';

/** Undefined: there is no such site. */
export async function siteSnippet(
  store: Store,
  id: number,
  places: SnippetPlaces,
): Promise<SiteSnippet | undefined> {
  const site = await store.site({ id });
  if (site === undefined) return undefined;
  const { site_key } = site;
  const { forms } = await store.forms({ site_id: id, limit: LIST_MAX, offset: 0 });
  return {
    site_key,
    tracker: trackerSnippet(places, site_key),
    form_script: formScriptSnippet(places, site_key),
    google_tag_manager: tagManagerSnippet(places, site_key),
    forms: forms.map(({ form_id, name }) => ({
      form_id,
      name,
      html: formSnippet(places, site, form_id),
    })),
  };
}
