import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useIsAdmin } from '../../api/role.ts';
import { formatMoney } from '../../format.ts';
import { useWorkspace } from '../../frame/use-workspace.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { toasts } from '../../ui/toast.tsx';
import type { Lead } from './data.ts';

/** What the lead is worth; won leads make the revenue of campaigns. */
export function ValueCard({ lead }: { lead: Lead }) {
  const isAdmin = useIsAdmin();
  const { currency } = useWorkspace();
  if (isAdmin) return <ValueForm lead={lead} />;
  if (lead.value === null) return null;
  return (
    <Card title="Value">
      <p>{currency === undefined ? lead.value : formatMoney(lead.value, currency)}</p>
    </Card>
  );
}

function ValueForm({ lead }: { lead: Lead }) {
  const client = useQueryClient();
  const { currency } = useWorkspace();
  const stored = lead.value === null ? '' : String(lead.value);
  const [typed, setTyped] = useState(stored);
  useEffect(() => setTyped(stored), [stored]);
  const saving = useMutation({
    mutationFn: (value: number | null) =>
      call('updateLead', { params: { id: lead.lead_id }, body: { value } }),
    async onSuccess() {
      toasts.add({ title: 'Value saved' });
      await client.invalidateQueries({ queryKey: queryKeys.anyLead });
    },
  });
  const value = typed.trim() === '' ? null : Number(typed.replace(',', '.'));
  const isWrong = value !== null && !(value >= 0);
  return (
    <Card title="Value">
      <form
        className="flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isWrong) saving.mutate(value);
        }}
      >
        <Field
          label={currency === undefined ? 'Amount' : `Amount in ${currency}`}
          error={isWrong ? 'Enter a number, or nothing.' : saving.error?.message}
        >
          {(tied) => (
            <TextInput
              {...tied}
              inputMode="decimal"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        {typed !== stored && (
          <Button type="submit" look="primary" isBusy={saving.isPending} disabled={isWrong}>
            Save
          </Button>
        )}
      </form>
    </Card>
  );
}
