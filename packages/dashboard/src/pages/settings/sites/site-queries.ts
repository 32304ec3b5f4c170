import type { Form } from '@leadtrail/contract/forms';
import type { Site } from '@leadtrail/contract/sites';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { allPages } from '../parts/all-pages.ts';

export type { Form, Site };

export function useSites(): UseQueryResult<Site[]> {
  return useQuery({
    queryKey: queryKeys.sites,
    queryFn: ({ signal }) =>
      allPages(async (query) => {
        const { sites, total } = await call('sites', { query, signal });
        return { rows: sites, total };
      }),
  });
}

export function useForms(): UseQueryResult<Form[]> {
  return useQuery({
    queryKey: queryKeys.forms,
    queryFn: ({ signal }) =>
      allPages(async (query) => {
        const { forms, total } = await call('forms', { query, signal });
        return { rows: forms, total };
      }),
  });
}
