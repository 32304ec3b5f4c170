import { SHARED_LINK_DAYS_DEFAULT } from '@leadtrail/contract/limits';
import type { SharedLink } from '@leadtrail/contract/shared-links';
import { useId } from 'react';
import { call } from '../../../api/client.ts';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { NumberField } from '../parts/number-field.tsx';
import { TextField } from '../parts/text-field.tsx';
import { useDraft } from '../parts/use-draft.ts';
import { useSites } from '../sites/site-queries.ts';

export type NewLink = SharedLink & { token: string };

/** Makes a link for some sites. */
export function SharedLinkDialog({
  isOpen,
  onClose,
  onMade,
}: {
  isOpen: boolean;
  onClose: () => void;
  onMade: (link: NewLink) => void;
}) {
  const draft = useDraft({
    saved: { name: '', sites: [] as string[], days: String(SHARED_LINK_DAYS_DEFAULT) },
    send: ({ values }): Promise<NewLink> =>
      call('createSharedLink', { body: { ...values, days: Number(values.days) } }),
    onSaved(made) {
      draft.discard();
      onClose();
      onMade(made);
    },
  });
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Share figures"
      description="Anyone with the link can see Overview and Campaigns of these sites, but no leads."
      draft={draft}
      action="Create link"
    >
      <TextField
        label="Name"
        hint="Shown at the top of the page."
        autoFocus
        required
        placeholder="Riverside Ltd"
        {...draft.field('name')}
      />
      <SitesField {...draft.field('sites')} />
      <NumberField label="Valid for" unit="days" {...draft.field('days')} />
    </FormDialog>
  );
}

function SitesField({
  value,
  error,
  onChange,
}: {
  value: readonly string[];
  error: string | undefined;
  onChange: (sites: string[]) => void;
}) {
  const id = useId();
  const sites = useSites().data ?? [];
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 text-[0.8125rem] font-medium">Sites</legend>
      <div className="grid max-h-56 gap-2 overflow-y-auto rounded-lg border border-line p-3">
        {sites.map(({ site_key, name }) => (
          <label key={site_key} htmlFor={`${id}-${site_key}`} className="flex items-center gap-2">
            <Checkbox
              id={`${id}-${site_key}`}
              label={name}
              isChecked={value.includes(site_key)}
              onChange={(isChecked) =>
                onChange(isChecked ? [...value, site_key] : value.filter((each) => each !== site_key))
              }
            />
            <span className="min-w-0 wrap-anywhere">{name}</span>
          </label>
        ))}
        {sites.length === 0 && <p className="text-ink-soft">Add a site first.</p>}
      </div>
      {error !== undefined && (
        <p role="alert" className="mt-1.5 text-[0.8125rem] text-negative">
          Choose at least one site.
        </p>
      )}
    </fieldset>
  );
}
