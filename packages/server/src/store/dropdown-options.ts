import type { DropdownOption, OptionKind } from '@leadtrail/contract/dropdown-options';
import type { Db } from './dialect.ts';
import { read, write } from './operation.ts';
import type { Changes } from './sites.ts';

/** What the dashboard offers to choose from. */

export type NewOption = Omit<DropdownOption, 'id'>;

/** Of one kind or of all; a kind that is not asked for is empty. */
export const dropdownOptions = read(
  { shows: ['setup'] },
  async (
    { query },
    { kind }: { kind?: OptionKind | undefined },
  ): Promise<Record<OptionKind, DropdownOption[]>> => {
    const options = await query
      .selectFrom('dropdown_options')
      .selectAll()
      .$if(kind !== undefined, (select) => select.where('kind', '=', kind as OptionKind))
      .execute();
    options.sort(inOrder());
    const ofKind = (each: OptionKind) => options.filter((option) => option.kind === each);
    return {
      source: ofKind('source'),
      country: ofKind('country'),
      project: ofKind('project'),
      city: ofKind('city'),
    };
  },
);

/** Sorted here, because the collations of the two databases differ. */
function inOrder(): (one: DropdownOption, other: DropdownOption) => number {
  const { compare } = new Intl.Collator('en');
  return (one, other) =>
    one.sort_order - other.sort_order || compare(one.label, other.label) || one.id - other.id;
}

export const dropdownOption = read(
  { shows: ['setup'] },
  ({ query }, { id }: { id: number }): Promise<DropdownOption | undefined> => {
    return query.selectFrom('dropdown_options').selectAll().where('id', '=', id).executeTakeFirst();
  },
);

export const createDropdownOption = write({ changes: ['setup'] }, async (db, option: NewOption) => {
  await db.dialect.lock('setup');
  if (await isTaken(db, option)) return 'taken';
  return insertOption(db, option);
});

export const updateDropdownOption = write(
  { changes: ['setup'] },
  async (db, { id, changes }: { id: number; changes: Changes<Omit<NewOption, 'kind'>> }) => {
    await db.dialect.lock('setup');
    const present = await dropdownOption(db, { id });
    if (present === undefined) return 'unknown';
    const { value = present.value, label = present.label, sort_order = present.sort_order } = changes;
    if (value !== present.value && (await isTaken(db, { kind: present.kind, value }))) return 'taken';
    await db.query
      .updateTable('dropdown_options')
      .set({ value, label, sort_order })
      .where('id', '=', id)
      .execute();
    return { ...present, value, label, sort_order };
  },
);

export const deleteDropdownOption = write(
  { changes: ['setup'] },
  async ({ query, dialect }, { id }: { id: number }): Promise<boolean> => {
    await dialect.lock('setup');
    const { numDeletedRows } = await query
      .deleteFrom('dropdown_options')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  },
);

/** Values with their labels, in the order in which they are offered. */
const DEMO_OPTIONS: readonly (readonly [OptionKind, value: string, label: string])[] = [
  ['source', 'WebSite', 'Website'],
  ['source', 'FB', 'Facebook'],
  ['source', 'Google', 'Google Ads'],
  ['country', 'IN', 'India'],
  ['country', 'AE', 'United Arab Emirates'],
  ['country', 'GB', 'United Kingdom'],
  ['country', 'US', 'United States'],
  ['project', 'Riverside', 'Riverside'],
  ['project', 'Harbour View', 'Harbour View'],
  ['city', 'Dubai', 'Dubai'],
  ['city', 'London', 'London'],
  ['city', 'Mumbai', 'Mumbai'],
  ['city', 'New York', 'New York'],
];

/** Example options, if there are none yet. */
export const ensureDemoOptions = write({ changes: ['setup'] }, async (db): Promise<void> => {
  await db.dialect.lock('setup');
  const any = await db.query.selectFrom('dropdown_options').select('id').limit(1).executeTakeFirst();
  if (any !== undefined) return;
  for (const [i, [kind, value, label]] of DEMO_OPTIONS.entries()) {
    const before = DEMO_OPTIONS.slice(0, i).filter(([other]) => other === kind);
    await insertOption(db, { kind, value, label, sort_order: before.length + 1 });
  }
});

async function isTaken({ query }: Db, { kind, value }: Pick<NewOption, 'kind' | 'value'>): Promise<boolean> {
  const other = await query
    .selectFrom('dropdown_options')
    .select('id')
    .where('kind', '=', kind)
    .where('value', '=', value)
    .executeTakeFirst();
  return other !== undefined;
}

function insertOption({ query }: Db, option: NewOption): Promise<DropdownOption> {
  return query.insertInto('dropdown_options').values(option).returningAll().executeTakeFirstOrThrow();
}
