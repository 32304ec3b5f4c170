import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { queryKeys } from '../../api/query-keys.ts';
import { counted } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';
import { CostsColumns } from './costs-columns.tsx';
import { CostsPreview } from './costs-preview.tsx';
import { type ChosenFile, importCosts, type NamedColumns } from './import-costs.ts';

/** Previews a file, maps its columns and imports it. */
export function CostsFile({ chosen, onImported }: { chosen: ChosenFile; onImported: () => void }) {
  const { id, file, columns } = chosen;
  const queries = useQueryClient();
  const [named, setNamed] = useState<NamedColumns>({});
  const preview = useQuery({
    queryKey: queryKeys.costsPreview(id, named),
    queryFn: ({ signal }) => importCosts(file, { ...named, dry_run: 'true' }, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const taking = useMutation({
    mutationFn: () => importCosts(file, named),
    async onSuccess({ rows }) {
      toasts.add({ title: `${counted(rows, 'row')} of costs imported` });
      onImported();
      await queries.invalidateQueries();
    },
    onError: (error) => toastProblem('The costs were not imported', error),
  });
  const { data: found, error } = preview;
  return (
    <>
      {error !== null && (
        <p role="alert" className="text-negative">
          {error.message}
          {columns.length > 1 && ' Match the columns below.'}
        </p>
      )}
      {found !== undefined && <CostsPreview found={found} />}
      <CostsColumns
        columns={columns}
        found={found?.columns}
        isNeeded={error !== null}
        named={named}
        onChange={setNamed}
      />
      {found !== undefined && found.rows > 0 && (
        <Button
          look="primary"
          className="justify-self-start"
          isBusy={taking.isPending}
          disabled={preview.isPlaceholderData}
          onClick={() => taking.mutate()}
        >
          Import {counted(found.rows, 'row')}
        </Button>
      )}
    </>
  );
}
