import type { SavedSettings } from '../domain/setup/settings.ts';
import { read, write } from './operation.ts';

export const readSettings = read(
  { shows: ['setup'], primary: true },
  async ({ query }): Promise<SavedSettings> => {
    const rows = await query.selectFrom('settings').selectAll().execute();
    return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)]));
  },
);

export const saveSettings = write(
  { changes: ['setup'] },
  async ({ query }, change: SavedSettings): Promise<void> => {
    for (const [name, given] of Object.entries(change)) {
      if (given === undefined) continue;
      const value = JSON.stringify(given);
      await query
        .insertInto('settings')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    }
  },
);
