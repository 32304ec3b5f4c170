import type { Names } from '@leadtrail/contract/names';
import { read } from './operation.ts';

/** Display names for what lists and figures know by a key or a value. */
export const names = read({ shows: ['setup'] }, async ({ query }): Promise<Names> => {
  const sites = await query.selectFrom('sites').select(['site_key', 'name']).orderBy('id').execute();
  const labels = await query
    .selectFrom('dropdown_options')
    .select(['kind', 'value', 'label'])
    .whereRef('label', '<>', 'value')
    .orderBy('id')
    .execute();
  return { sites, labels };
});
