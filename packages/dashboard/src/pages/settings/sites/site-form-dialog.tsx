import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { toasts } from '../../../ui/toast.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { TextField } from '../parts/text-field.tsx';
import { useDraft } from '../parts/use-draft.ts';
import type { Form, Site } from './site-queries.ts';

/** A new form of a site, or the name and id of one that is there. */
export function SiteFormDialog({
  isOpen,
  onClose,
  site,
  form,
}: {
  isOpen: boolean;
  onClose: () => void;
  site: Site;
  form: Form | null;
}) {
  const queryClient = useQueryClient();
  const draft = useDraft({
    saved: { name: form?.name ?? '', form_id: form?.form_id ?? '' },
    conflictField: 'form_id',
    send({ values: { name, form_id } }) {
      const id = form_id.trim();
      return form === null
        ? call('createForm', { body: { site_id: site.id, name, ...(id === '' ? {} : { form_id: id }) } })
        : call('updateForm', { params: { id: form.id }, body: { name, form_id: id } });
    },
    onSaved(saved) {
      void queryClient.invalidateQueries({ queryKey: queryKeys.forms });
      void queryClient.invalidateQueries({ queryKey: queryKeys.siteSnippet(site.id) });
      toasts.add({ title: form === null ? `${saved.name} was added` : 'Saved' });
      draft.discard();
      onClose();
    },
  });
  const { values, set, errorOf } = draft;
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={onClose}
      title={form === null ? 'Add form' : `Edit ${form.name}`}
      draft={draft}
      action={form === null ? 'Add form' : 'Save'}
    >
      <TextField
        label="Name"
        error={errorOf('name')}
        autoFocus
        required
        value={values.name}
        onChange={(name) => set('name', name)}
      />
      <TextField
        label="Form id"
        error={errorOf('form_id')}
        hint={
          form === null
            ? 'Names the form in the page. Leave it empty and one is made up.'
            : 'Pages that carry the old id can no longer send leads once it has changed.'
        }
        isCode
        value={values.form_id}
        onChange={(key) => set('form_id', key)}
      />
    </FormDialog>
  );
}
