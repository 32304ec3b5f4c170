import type { CostImport, CostsImported } from '@leadtrail/contract/costs';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Coins, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call, send } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { counted, formatDay, formatMoney } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { INPUT_CLASSES } from '../../ui/field.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';
import { useLastGiven } from '../../ui/use-last-given.ts';
import { CostsPreview } from './costs-preview.tsx';

const PATH = '/analytics/costs/import';

/** Imports costs from a file, after a look at what it would bring. */
export function CostsButton() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={<Coins aria-hidden="true" />} onClick={() => setOpen(true)}>
        Costs
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Costs"
        description="A CSV file as Google Ads, Meta or Microsoft export it, or with the columns date, source, medium, campaign and amount."
        width="wide"
      >
        <CostsForm />
      </Dialog>
    </>
  );
}

function CostsForm() {
  const queries = useQueryClient();
  const [file, setFile] = useState<File>();
  const [imports, setImports] = useState(0);
  const preview = useMutation({ mutationFn: (given: File) => importCosts(given, true) });
  const taking = useMutation({
    mutationFn: (given: File) => importCosts(given, false),
    async onSuccess({ rows }) {
      toasts.add({ title: `${counted(rows, 'row')} of costs imported` });
      setFile(undefined);
      setImports((count) => count + 1);
      preview.reset();
      await queries.invalidateQueries();
    },
    onError: (error) => toastProblem('The costs were not imported', error),
  });

  function choose(given: File | undefined) {
    setFile(given);
    preview.reset();
    if (given !== undefined) preview.mutate(given);
  }

  return (
    <div className="grid gap-5">
      <label className="grid gap-1.5 text-[0.8125rem] font-medium">
        File
        <input
          // Empty after an import.
          key={imports}
          type="file"
          accept=".csv,text/csv"
          onChange={(event) => choose(event.target.files?.[0])}
          className={classes(
            INPUT_CLASSES,
            'h-auto py-1.5 pl-1.5 font-normal file:mr-3 file:rounded-md file:bg-sunken file:px-3 file:py-1 file:font-medium sm:h-auto',
          )}
        />
      </label>
      {preview.isError && (
        <p role="alert" className="text-negative">
          {preview.error.message}
        </p>
      )}
      {preview.data !== undefined && <CostsPreview found={preview.data} />}
      {file !== undefined && (preview.data?.rows ?? 0) > 0 && (
        <Button
          look="primary"
          className="justify-self-start"
          isBusy={taking.isPending}
          onClick={() => taking.mutate(file)}
        >
          Import {counted(preview.data?.rows ?? 0, 'row')}
        </Button>
      )}
      <Imports />
    </div>
  );
}

async function importCosts(file: File, isPreview: boolean): Promise<CostsImported> {
  const response = await send('POST', isPreview ? `${PATH}?dry_run=true` : PATH, { file });
  return response.json();
}

/** Earlier imports, which can be removed again. */
function Imports() {
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
