import { LEAD_VALUE_MAX } from '@leadtrail/contract/limits';
import { readNumber } from '@leadtrail/contract/read-number';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useIsAdmin } from '../../api/role.ts';
import { formatMoney, formatNumber } from '../../format.ts';
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
      <p>{amountText(lead.value, currency)}</p>
    </Card>
  );
}

function ValueForm({ lead }: { lead: Lead }) {
  const client = useQueryClient();
  const { currency } = useWorkspace();
  const stored = lead.value === null ? '' : fieldText(lead.value);
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
  const value = readAmount(typed, currency);
  const isWrong = value === undefined;
  return (
    <Card title="Value">
      <form
        className="flex items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isWrong) saving.mutate(value);
        }}
      >
        <Field
          label={currency === undefined ? 'Amount' : `Amount in ${currency}`}
          error={
            isWrong ? `Enter an amount from 0 to ${formatNumber(LEAD_VALUE_MAX)}.` : saving.error?.message
          }
          hint={typed !== stored && value != null ? amountText(value, currency) : undefined}
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
          <Button
            type="submit"
            look="primary"
            // Beside the field, whose label and note are above and below it.
            className="mt-[1.59375rem]"
            isBusy={saving.isPending}
            disabled={isWrong}
          >
            Save
          </Button>
        )}
      </form>
    </Card>
  );
}

/** Null is no amount, undefined one that the service would not take or that could be another. */
function readAmount(typed: string, currency: string | undefined): number | null | undefined {
  if (typed.trim() === '') return null;
  // A separator that has only just been typed says nothing yet.
  const amount = readNumber(typed.trimEnd().replace(/[.,]$/, ''), { currency });
  return amount !== null && amount >= 0 && amount <= LEAD_VALUE_MAX ? amount : undefined;
}

/** So that it is read as the same amount again: three decimals alone would be thousands. */
function fieldText(value: number): string {
  const text = String(value);
  return readNumber(text) === value ? text : value.toFixed(4);
}

function amountText(value: number, currency: string | undefined): string {
  return currency === undefined ? String(value) : formatMoney(value, currency);
}
