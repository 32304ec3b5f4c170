import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';

export function formFieldsQuery(id: number) {
  return queryOptions({
    queryKey: queryKeys.formFields(id),
    queryFn: ({ signal }) => call('formFields', { params: { id }, signal }),
  });
}
