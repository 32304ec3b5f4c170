import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { call } from '../../api/client.ts';
import { forgetNoteDraft } from '../../shared/note-drafts.ts';
import { personName } from '../../shared/person-name.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { toasts } from '../../ui/toast.tsx';
import type { LeadDetail } from './data.ts';
import { ErasePreview, type Identifiers, partsOf, useErasePreview } from './erase-preview.tsx';

type Known = { key: keyof Identifiers; label: string; value: string };

export function EraseDialog({
  detail,
  isOpen,
  onClose,
}: {
  detail: LeadDetail;
  isOpen: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={`Erase ${personName(detail.lead)} permanently?`}>
      {isOpen && <EraseForm detail={detail} onClose={onClose} />}
    </Dialog>
  );
}

function EraseForm({ detail, onClose }: { detail: LeadDetail; onClose: () => void }) {
  const { lead } = detail;
  const known = identifiersOf(detail);
  const idPrefix = useId();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(known.map(({ key }) => key)));
  const [typed, setTyped] = useState('');
  const person: Identifiers = Object.fromEntries(
    known.filter(({ key }) => chosen.has(key)).map(({ key, value }) => [key, value]),
  );
  const preview = useErasePreview(person);
  const queryClient = useQueryClient();
  const navigate = useNavigate();

  const erasing = useMutation({
    mutationFn: () => call('erasePerson', { body: person }),
    async onSuccess(gone) {
      const leads = [lead, ...detail.merged, ...(preview.data?.leads ?? [])];
      for (const { lead_id } of leads) forgetNoteDraft(lead_id);
      const parts = 'erased' in gone ? partsOf(gone) : [];
      toasts.add({
        title: `${personName(lead)} was erased`,
        ...(parts.length > 0 ? { description: `Deleted: ${parts.join(', ')}.` } : {}),
      });
      await navigate({ to: '/leads' });
      // Any cached response may contain the person.
      queryClient.removeQueries({ type: 'inactive' });
      void queryClient.invalidateQueries();
    },
  });

  const expected = [lead.contact_name, lead.contact_email].map(comparable).filter(Boolean);
  const word = expected.length > 0 ? 'their name or e-mail address' : `“${personName(lead)}”`;
  const isConfirmed = [...expected, ...(expected.length > 0 ? [] : [comparable(personName(lead))])].includes(
    comparable(typed),
  );
  // No erasure before the preview has shown what it deletes.
  const isReady = isConfirmed && preview.data != null;
  function submit(event: FormEvent) {
    event.preventDefault();
    if (isReady && !erasing.isPending) erasing.mutate();
  }

  if (known.length === 0) {
    return (
      <p className="text-ink-soft">
        This person cannot be erased: no e-mail address, phone number or visitor ID is known.
      </p>
    );
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <div className="grid gap-2 text-ink-soft">
        <p>This deletes everything stored about this person. Reports no longer count them.</p>
        <p className="font-medium text-negative">This cannot be undone.</p>
      </div>
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-[0.8125rem] font-medium">Erase everything linked to</legend>
        {known.map(({ key, label, value }) => (
          <div key={key} className="flex items-start gap-2.5 max-sm:min-h-11 max-sm:items-center">
            <Checkbox
              id={`${idPrefix}-${key}`}
              isChecked={chosen.has(key)}
              onChange={(isOn) =>
                setChosen(
                  (before) => new Set([...before].filter((each) => each !== key).concat(isOn ? key : [])),
                )
              }
            />
            <label htmlFor={`${idPrefix}-${key}`} className="min-w-0">
              {label} <span className="break-all text-ink-soft">{value}</span>
            </label>
          </div>
        ))}
      </fieldset>
      <ErasePreview preview={preview} />
      <Field label={`Type ${word} to confirm`} error={erasing.error?.message}>
        {(tied) => <TextInput {...tied} value={typed} onChange={(event) => setTyped(event.target.value)} />}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" type="submit" isBusy={erasing.isPending} disabled={!isReady}>
          Erase permanently
        </Button>
      </div>
    </form>
  );
}

/** The identifiers that the service accepts for an erasure. */
function identifiersOf({ lead }: LeadDetail): Known[] {
  const phone = lead.phone_international;
  const found: (Known | false)[] = [
    /^[^\s@]+@[^\s@]+$/.test(lead.contact_email.trim()) && {
      key: 'email',
      label: 'the e-mail address',
      value: lead.contact_email,
    },
    (phone.match(/\p{Nd}/gu)?.length ?? 0) >= 5 && { key: 'phone', label: 'the phone number', value: phone },
    lead.visitor_id !== '' && { key: 'visitor_id', label: 'the visitor ID', value: lead.visitor_id },
  ];
  return found.filter((each) => each !== false);
}

const comparable = (text: string) => text.trim().toLowerCase();
