import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { toasts } from '../../../ui/toast.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { TextField } from '../parts/text-field.tsx';
import { useDraft } from '../parts/use-draft.ts';
import type { Form, Site } from './site-queries.ts';

/** Adds or edits a form. */
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
  const { field } = draft;
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={onClose}
      title={form === null ? 'Add form' : `Edit ${form.name}`}
      draft={draft}
      action={form === null ? 'Add form' : 'Save'}
    >
      <TextField label="Name" autoFocus required {...field('name')} />
      <TextField
        label="Form ID"
        hint={
          form === null
            ? 'Identifies the form in its page. Leave it empty to generate one.'
            : 'Pages that still use the old ID can no longer send leads after a change.'
        }
        isCode
        {...field('form_id')}
      />
    </FormDialog>
  );
}
