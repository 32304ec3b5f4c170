import { Link } from '@tanstack/react-router';
import { Ellipsis, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { settingsPlace } from '../../../shared/settings-place.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { useLastGiven } from '../../../ui/use-last-given.ts';
import { useDeleting } from '../parts/use-deleting.ts';
import { useSwitching } from '../parts/use-switching.ts';
import { SiteFormDialog } from './site-form-dialog.tsx';
import type { Form, Site } from './site-queries.ts';

export function SiteForms({ site, forms }: { site: Site; forms: readonly Form[] }) {
  const [isAdding, setAdding] = useState(false);
  const [editing, setEditing] = useState<Form | null>(null);
  const [deleting, setDeleting] = useState<Form | null>(null);
  const edited = useLastGiven(editing);
  const deleted = useLastGiven(deleting);
  const switchForm = useSwitching<Form>(queryKeys.forms, (id, enabled) =>
    call('updateForm', { params: { id }, body: { enabled } }),
  );
  const deletion = useDeleting<Form>({
    list: queryKeys.forms,
    alsoStale: queryKeys.siteSnippet(site.id),
    send: (id) => call('deleteForm', { params: { id } }),
    onDeleted: () => setDeleting(null),
  });
  const columns: Column<Form>[] = [
    {
      key: 'name',
      title: 'Form',
      cell: (form) => (
        <div className="grid min-w-0 gap-0.5">
          <Link
            {...settingsPlace('sites', { site: site.id, form: form.id })}
            className="justify-self-start py-0.5 font-medium text-ink underline-offset-2 [overflow-wrap:anywhere] hover:underline"
          >
            {form.name}
          </Link>
          <code className="font-mono text-xs break-all text-ink-faint">{form.form_id}</code>
        </div>
      ),
    },
    {
      key: 'enabled',
      title: 'On',
      className: 'w-16',
      cell: (form) => (
        <Switch
          isOn={form.enabled}
          onChange={(isOn) => switchForm(form, isOn)}
          label={`${form.name} is on`}
        />
      ),
    },
    {
      key: 'actions',
      title: '',
      label: 'Actions',
      className: 'w-12',
      cell: (form) => (
        <Menu
          trigger={
            <Button
              look="ghost"
              aria-label={`Actions for ${form.name}`}
              icon={<Ellipsis aria-hidden="true" />}
            />
          }
          entries={[
            { label: 'Edit', icon: <Pencil aria-hidden="true" />, onSelect: () => setEditing(form) },
            {
              label: 'Delete',
              icon: <Trash2 aria-hidden="true" />,
              onSelect: () => setDeleting(form),
              isDangerous: true,
            },
          ]}
        />
      ),
    },
  ];
  const addButton = (
    <Button size="small" icon={<Plus aria-hidden="true" />} onClick={() => setAdding(true)}>
      Add form
    </Button>
  );
  return (
    <Card
      title="Forms"
      hint="Each form has its own entry, so that you can tell its leads apart."
      actions={forms.length > 0 && addButton}
      isFlush
    >
      {forms.length === 0 ? (
        <EmptyState title="No forms yet" action={addButton}>
          Leads are accepted only from forms that are listed here.
        </EmptyState>
      ) : (
        <Table caption="Forms" columns={columns} rows={forms} rowKey={(form) => form.id} />
      )}
      <SiteFormDialog isOpen={isAdding} onClose={() => setAdding(false)} site={site} form={null} />
      <SiteFormDialog isOpen={editing !== null} onClose={() => setEditing(null)} site={site} form={edited} />
      <ConfirmDialog
        isOpen={deleting !== null}
        onClose={() => setDeleting(null)}
        onConfirm={() => deleting !== null && deletion.mutate(deleting)}
        isBusy={deletion.isPending}
        title={`Delete ${deleted?.name}?`}
        action="Delete form"
      >
        <p>Pages that still use it can no longer send leads. Existing leads are kept.</p>
        <p>This cannot be undone.</p>
      </ConfirmDialog>
    </Card>
  );
}
