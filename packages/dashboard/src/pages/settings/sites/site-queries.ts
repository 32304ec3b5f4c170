import type { Form, Site } from '@leadtrail/contract/sites';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { allPages } from '../parts/all-pages.ts';

export type { Form, Site };

export const SITES = ['sites'];
export const FORMS = ['forms'];

export function useSites(): UseQueryResult<Site[]> {
  return useQuery({
    queryKey: SITES,
    queryFn: ({ signal }) =>
      allPages(async (query) => {
        const { sites, total } = await call('sites', { query, signal });
        return { rows: sites, total };
      }),
  });
}

/** The forms of all sites. */
export function useForms(): UseQueryResult<Form[]> {
  return useQuery({
    queryKey: FORMS,
    queryFn: ({ signal }) =>
      allPages(async (query) => {
        const { forms, total } = await call('forms', { query, signal });
        return { rows: forms, total };
      }),
  });
}

/** A snippet names the keys of its site and forms, so it changes with them. */
export function snippetKey(id: number): (string | number)[] {
  return ['site-snippet', id];
}
