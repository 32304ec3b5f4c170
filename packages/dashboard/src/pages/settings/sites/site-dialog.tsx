import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { readableDomain } from '../../../readable-hosts.ts';
import { Field, TextArea } from '../../../ui/field.tsx';
import { toasts } from '../../../ui/toast.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { TextField } from '../parts/text-field.tsx';
import { useDraft } from '../parts/use-draft.ts';
import type { Site } from './site-queries.ts';

/** Adds or edits a site. */
export function SiteDialog({
  isOpen,
  onClose,
  site,
  onSaved,
}: {
  isOpen: boolean;
  onClose: () => void;
  site: Site | null;
  onSaved?: (site: Site) => void;
}) {
  const queryClient = useQueryClient();
  const draft = useDraft({
    saved: {
      name: site?.name ?? '',
      site_key: site?.site_key ?? '',
      domains: site?.domains.map(readableDomain).join('\n') ?? '',
    },
    conflictField: 'site_key',
    send({ values }) {
      const key = values.site_key.trim();
      const body = { name: values.name, domains: linesOf(values.domains) };
      return site === null
        ? call('createSite', { body: { ...body, ...(key === '' ? {} : { site_key: key }) } })
        : call('updateSite', { params: { id: site.id }, body: { ...body, site_key: key } });
    },
    onSaved(saved) {
      // The details are taken from the list.
      queryClient.setQueryData<Site[]>(queryKeys.sites, (sites = []) =>
        site === null ? [...sites, saved] : sites.map((each) => (each.id === saved.id ? saved : each)),
      );
      void queryClient.invalidateQueries({ queryKey: queryKeys.sites });
      void queryClient.invalidateQueries({ queryKey: queryKeys.names });
      void queryClient.invalidateQueries({ queryKey: queryKeys.siteSnippet(saved.id) });
      toasts.add({ title: site === null ? `${saved.name} was added` : 'Saved' });
      draft.discard();
      onClose();
      onSaved?.(saved);
    },
  });
  const { values, set, errorOf, field } = draft;
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={onClose}
      title={site === null ? 'Add site' : `Edit ${site.name}`}
      draft={draft}
      action={site === null ? 'Add site' : 'Save'}
    >
      <TextField label="Name" autoFocus required {...field('name')} />
      <Field
        label="Domains, one per line"
        error={errorOf('domains')}
        hint="Where its forms may be used. example.com includes www.example.com, *.example.com all subdomains; localhost:3000 is for development."
      >
        {(tied) => (
          <TextArea
            {...tied}
            rows={4}
            spellCheck={false}
            placeholder="example.com"
            className="font-mono text-[0.8125rem]"
            value={values.domains}
            onChange={(event) => set('domains', event.target.value)}
          />
        )}
      </Field>
      <TextField
        label="Site key"
        hint={
          site === null
            ? 'Identifies the site in its pages. Leave it empty to generate one.'
            : 'Pages that still use the old key are no longer recognised after a change.'
        }
        isCode
        {...field('site_key')}
      />
    </FormDialog>
  );
}

function linesOf(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
