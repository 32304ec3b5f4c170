import type { SelectQueryBuilder } from 'kysely';

/** A part of a long list. */
export type Page = { limit: number; offset: number };

/** How long the whole list is. */
export async function countOf<D, T extends keyof D>(
  list: SelectQueryBuilder<D, T, unknown>,
): Promise<number> {
  const { total } = await list
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .$castTo<{ total: number }>()
    .executeTakeFirstOrThrow();
  return total;
}
