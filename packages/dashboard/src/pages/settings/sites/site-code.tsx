import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { useSearchParams } from '../../../shared/use-search-params.ts';
import { Card } from '../../../ui/card.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { TabPanel, Tabs } from '../../../ui/tabs.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import type { SettingsSearch } from '../search.ts';
import { type Form, type Site, useForms } from './site-queries.ts';
import { type InstallNote, installNote } from './spam-check-install.ts';

type Code = {
  value: string;
  label: ReactNode;
  hint: string;
  code: string;
  note?: InstallNote | undefined;
};

export function SiteCode({ site }: { site: Site }) {
  const [search, changeSearch] = useSearchParams<SettingsSearch>();
  const snippet = useQuery({
    queryKey: queryKeys.siteSnippet(site.id),
    queryFn: ({ signal }) =>
      call('siteSnippet', { params: { id: site.id }, query: { origin: location.origin }, signal }),
  });
  const forms = useForms().data?.filter(({ site_id }) => site_id === site.id) ?? [];
  const codes = snippet.data === undefined ? [] : codesOf(snippet.data, forms);
  const shown = codes.find(({ value }) => value === search.code) ?? codes[0];
  return (
    <Card title="Install" hint="Copy this code into the pages of the site.">
      {shown !== undefined ? (
        <Tabs
          label="Code"
          value={shown.value}
          tabs={codes}
          onChange={(code) => changeSearch({ code }, { isReplacing: true })}
        >
          <TabPanel value={shown.value} className="mt-3 grid grid-cols-[minmax(0,1fr)] gap-3">
            <p className="text-ink-soft">{shown.hint}</p>
            <CodeBlock code={shown.code} copyLabel="Copy code" />
            {shown.note !== undefined && <p className="text-ink-soft">{shown.note.text}</p>}
            {shown.note?.code !== undefined && <CodeBlock code={shown.note.code} copyLabel="Copy widget" />}
          </TabPanel>
        </Tabs>
      ) : snippet.isError ? (
        <ErrorState error={snippet.error} onRetry={() => void snippet.refetch()} />
      ) : (
        <div role="status" aria-label="Loading" className="grid gap-3">
          <Skeleton className="h-9" />
          <Skeleton className="h-28" />
        </div>
      )}
    </Card>
  );
}

/** Truncated, so that a long name leaves the other tabs in view. */
function FormName({ name }: { name: string }) {
  return (
    <span title={name} className="max-w-40 truncate">
      {name}
    </span>
  );
}

function codesOf(snippet: Awaited<ReturnType<typeof call<'siteSnippet'>>>, forms: readonly Form[]): Code[] {
  return [
    {
      value: 'tracker',
      label: 'Tracker',
      hint: 'Paste it into the <head> of every page. It tracks visits and engagement.',
      code: snippet.tracker,
    },
    {
      value: 'form-script',
      label: 'Form script',
      hint: 'Paste it into the <head> of pages with a form, next to the tracker. It filters bots and shows visitors what went wrong.',
      code: snippet.form_script,
    },
    ...snippet.forms.map(({ form_id, name, html }) => ({
      value: `form:${form_id}`,
      label: <FormName name={name} />,
      hint: 'A form to start with. Style it like your page, and add or remove fields.',
      code: html,
      note: installNote(forms.find((form) => form.form_id === form_id)),
    })),
    {
      value: 'tag-manager',
      label: 'Google Tag Manager',
      hint: 'Replaces both scripts: paste it into a Custom HTML tag that fires on all pages.',
      code: snippet.google_tag_manager,
    },
  ];
}
