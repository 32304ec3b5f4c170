import type { SelectQueryBuilder } from 'kysely';
import type { Schema } from './schema.ts';

/** A part of a long list. */
export type Page = { limit: number; offset: number };

/** How long the whole list is. */
export async function countOf<T extends keyof Schema>(
  list: SelectQueryBuilder<Schema, T, unknown>,
): Promise<number> {
  const { total } = await list
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .$castTo<{ total: number }>()
    .executeTakeFirstOrThrow();
  return total;
}
