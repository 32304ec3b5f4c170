import type { Integration } from '@leadtrail/contract/integrations';
import { call } from '../../../api/client.ts';
import { toasts } from '../../../ui/toast.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { TextField } from '../parts/text-field.tsx';
import { useDraft } from '../parts/use-draft.ts';

type Saved = Integration | (Integration & { api_key: string });

/** Adds or renames an integration. */
export function IntegrationDialog({
  isOpen,
  onClose,
  integration,
  onSaved,
}: {
  isOpen: boolean;
  onClose: () => void;
  integration: Integration | null;
  onSaved: (saved: Saved) => void;
}) {
  const draft = useDraft({
    saved: { name: integration?.name ?? '' },
    conflictField: 'name',
    send: ({ values }): Promise<Saved> =>
      integration === null
        ? call('createIntegration', { body: values })
        : call('updateIntegration', { params: { id: integration.id }, body: values }),
    onSaved(saved) {
      if (integration !== null) toasts.add({ title: 'Saved' });
      draft.discard();
      onClose();
      onSaved(saved);
    },
  });
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={onClose}
      title={integration === null ? 'Add integration' : `Rename ${integration.name}`}
      draft={draft}
      action={integration === null ? 'Add integration' : 'Save'}
    >
      <TextField
        label="Name"
        hint="Tells you whose key it is."
        autoFocus
        required
        placeholder={integration === null ? 'Partner portal' : undefined}
        {...draft.field('name')}
      />
    </FormDialog>
  );
}
