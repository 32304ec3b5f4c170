import type { CostImport } from '@leadtrail/contract/costs';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { counted, formatDay, formatMoney } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';
import { useLastGiven } from '../../ui/use-last-given.ts';

/** Earlier imports, which can be removed again. */
export function CostImports() {
  const queries = useQueryClient();
  const [asked, setAsked] = useState<CostImport | null>(null);
  const about = useLastGiven(asked);
  const { data } = useQuery({
    queryKey: queryKeys.costImports,
    queryFn: ({ signal }) => call('costImports', { signal }),
  });
  const removing = useMutation({
    mutationFn: (import_id: string) => call('deleteCosts', { params: { import_id } }),
    async onSuccess() {
      setAsked(null);
      toasts.add({ title: 'Import removed' });
      await queries.invalidateQueries();
    },
    onError: (error) => toastProblem('The import was not removed', error),
  });
  if (data === undefined || data.imports.length === 0) return null;
  return (
    <section className="grid gap-2">
      <h3 className="text-[0.8125rem] font-medium">Earlier imports</h3>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {data.imports.map((each) => (
          <li key={each.import_id} className="flex items-center justify-between gap-3 px-3 py-2">
            <span className="grid min-w-0">
              <span className="truncate">{nameOf(each)}</span>
              <span className="text-[0.8125rem] text-ink-soft">
                {each.from !== null &&
                  each.to !== null &&
                  `${formatDay(each.from)} – ${formatDay(each.to)}, `}
                {counted(each.rows, 'row')}, {formatMoney(each.amount, data.currency)}
              </span>
            </span>
            <Button
              look="ghost"
              size="small"
              aria-label={`Remove ${nameOf(each)}`}
              icon={<Trash2 aria-hidden="true" />}
              onClick={() => setAsked(each)}
            />
          </li>
        ))}
      </ul>
      <ConfirmDialog
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={() => about && removing.mutate(about.import_id)}
        isBusy={removing.isPending}
        title={`Remove ${about && nameOf(about)}?`}
        action="Remove"
      >
        <p>Its costs disappear from all figures. You can import the file again.</p>
      </ConfirmDialog>
    </section>
  );
}

function nameOf({ file_name }: CostImport): string {
  return file_name || 'Costs';
}
