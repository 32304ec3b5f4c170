import { useSearchParams } from '../../../shared/use-search-params.ts';
import { Card } from '../../../ui/card.tsx';
import { ErrorState, SkeletonRows } from '../../../ui/states.tsx';
import type { SettingsSearch } from '../search.ts';
import { FormDetails } from './form-details.tsx';
import { SiteDetails } from './site-details.tsx';
import { SiteList } from './site-list.tsx';
import { useForms, useSites } from './site-queries.ts';

/** The list of sites, or the details of one, or of one of its forms. */
export function SitesSection() {
  const [{ site: shownId, form: formId }] = useSearchParams<SettingsSearch>();
  const sites = useSites();
  const forms = useForms();

  if (sites.data === undefined || forms.data === undefined) {
    const error = sites.error ?? forms.error;
    return (
      <Card isFlush>
        {error === null ? (
          <SkeletonRows rows={6} />
        ) : (
          <ErrorState
            error={error}
            onRetry={() => {
              void sites.refetch();
              void forms.refetch();
            }}
          />
        )}
      </Card>
    );
  }
  if (shownId === undefined) return <SiteList sites={sites.data} forms={forms.data} />;
  const form = forms.data.find((each) => each.id === formId && each.site_id === shownId);
  if (form !== undefined) return <FormDetails key={form.id} form={form} />;
  return <SiteDetails key={shownId} id={shownId} sites={sites.data} forms={forms.data} />;
}
