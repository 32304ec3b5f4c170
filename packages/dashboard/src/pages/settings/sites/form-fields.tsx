import type { FieldMeaning } from '@leadtrail/contract/field-meanings';
import type { ArrivedField } from '@leadtrail/contract/forms';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { counted, formatNumber } from '../../../format.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { Select } from '../../../ui/select.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../../ui/states.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { toastProblem, toasts } from '../../../ui/toast.tsx';
import { Note } from '../parts/note.tsx';
import { formFieldsQuery } from './form-fields-query.ts';
import type { Form } from './site-queries.ts';

const MEANINGS: { value: FieldMeaning; label: string }[] = [
  { value: 'custom', label: 'Custom field' },
  { value: 'FIRSTNAME', label: 'First or whole name' },
  { value: 'LASTNAME', label: 'Last name' },
  { value: 'EMAIL', label: 'E-mail address' },
  { value: 'PHONE', label: 'Phone' },
  { value: 'COUNTRYCODE', label: 'Dial code' },
  { value: 'USER_MESSAGE', label: 'Message' },
  { value: 'PROJECT', label: 'Project' },
  { value: 'LOCATION', label: 'Location' },
  { value: 'SOURCE', label: 'Source' },
  { value: 'TEAM', label: 'Team' },
  { value: 'KEYWORD', label: 'Keyword' },
];

const LOOKS_LIKE = { EMAIL: 'Looks like an e-mail address', PHONE: 'Looks like a phone number' };

/** The fields that really arrived, and what each of them is. */
export function FormFields({ form }: { form: Form }) {
  const queryClient = useQueryClient();
  const arrived = useQuery(formFieldsQuery(form.id));
  const saving = useMutation({
    mutationFn: ({ name, meaning }: { name: string; meaning: FieldMeaning }) =>
      call('updateForm', {
        params: { id: form.id },
        body: { field_names: { ...form.field_names, [name]: meaning } },
      }),
    onSuccess(saved, { name }) {
      queryClient.setQueryData<Form[]>(queryKeys.forms, (forms = []) =>
        forms.map((each) => (each.id === saved.id ? saved : each)),
      );
      void queryClient.invalidateQueries({ queryKey: queryKeys.formFields(form.id) });
      toasts.add({ title: `${name} is set for new submissions` });
    },
    onError: (error) => toastProblem('The field was not saved', error),
  });
  const columns: Column<ArrivedField>[] = [
    { key: 'name', title: 'Field', cell: (field) => <FieldName field={field} /> },
    {
      key: 'meaning',
      title: 'Meaning',
      className: 'w-40 sm:w-56',
      cell: ({ name, meaning }) => (
        <Select
          label={`Meaning of ${name}`}
          value={saving.isPending && saving.variables.name === name ? saving.variables.meaning : meaning}
          choices={MEANINGS}
          disabled={saving.isPending}
          onChange={(chosen) => saving.mutate({ name, meaning: chosen })}
        />
      ),
    },
  ];
  return (
    <Card
      title="Fields"
      hint="From the latest submissions. Common names are recognised; set the meaning of the others."
      isFlush
    >
      {arrived.isError ? (
        <ErrorState error={arrived.error} onRetry={() => void arrived.refetch()} />
      ) : arrived.data === undefined ? (
        <SkeletonRows rows={4} />
      ) : arrived.data.fields.length === 0 ? (
        <EmptyState title="No submissions yet">Send the form once, and its fields appear here.</EmptyState>
      ) : (
        <>
          {arrived.data.misunderstood > 0 && (
            <div className="px-4 pb-3 sm:px-5">
              <Note tone="warning">
                <p className="font-medium">Contact data was not understood</p>
                <p>
                  {formatNumber(arrived.data.misunderstood)} of the latest{' '}
                  {formatNumber(arrived.data.submissions)} submissions have an e-mail address or phone number
                  in a custom field. Set its meaning below.
                </p>
              </Note>
            </div>
          )}
          <Table caption="Fields" columns={columns} rows={arrived.data.fields} rowKey={({ name }) => name} />
        </>
      )}
    </Card>
  );
}

function FieldName({ field }: { field: ArrivedField }) {
  return (
    <div className="grid min-w-0 justify-items-start gap-1">
      <code className="font-mono text-[0.8125rem] break-all">{field.name}</code>
      <span className="text-xs text-ink-faint">in {counted(field.count, 'submission')}</span>
      {field.looks_like !== null && <Badge tone="warning">{LOOKS_LIKE[field.looks_like]}</Badge>}
    </div>
  );
}
