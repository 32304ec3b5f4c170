import { sql } from 'kysely';
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

/** The settings that the columnar copies and the index of leads depend on. */
const ATTRIBUTION = ['attribution_days', 'portal_domains'] as const;

export const saveSettings = write(
  { changes: ['setup'] },
  async (db, change: SavedSettings): Promise<void> => {
    const { query } = db;
    const before = await query.selectFrom('settings').selectAll().where('name', 'in', ATTRIBUTION).execute();
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
    const isChanged = forAnswers.some(
      (name) => before.find((row) => row.name === name)?.value !== JSON.stringify(change[name]),
    );
    if (isChanged) {
      await sql`insert into lead_renewals (lead_id) select lead_id from leads where true on conflict do nothing`.execute(
        query,
      );
    }
  },
);
