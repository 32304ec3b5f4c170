import type { SavedSettings } from '../domain/setup/settings.ts';
import { noteForAnswers } from './answers/changes.ts';
import { read, write } from './operation.ts';

export const readSettings = read(
  { shows: ['setup'], primary: true },
  async ({ query }): Promise<SavedSettings> => {
    const rows = await query.selectFrom('settings').selectAll().execute();
    return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)]));
  },
);

/** The settings that the columnar copies depend on. */
const ATTRIBUTION = ['attribution_days', 'portal_domains'];

export const saveSettings = write(
  { changes: ['setup'] },
  async (db, change: SavedSettings): Promise<void> => {
    const { query } = db;
    for (const [name, given] of Object.entries(change)) {
      if (given === undefined) continue;
      const value = JSON.stringify(given);
      await query
        .insertInto('settings')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    }
    const forAnswers = ATTRIBUTION.filter((name) => name in change);
    await noteForAnswers(db, 'setup', forAnswers);
  },
);
