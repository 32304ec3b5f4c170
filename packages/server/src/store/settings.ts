import type { SavedSettings } from '../domain/setup/settings.ts';
import type { Db } from './dialect.ts';

export async function readSettings({ query }: Db): Promise<SavedSettings> {
  const rows = await query.selectFrom('settings').selectAll().execute();
  return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)]));
}

export async function saveSettings({ query }: Db, change: SavedSettings): Promise<void> {
  for (const [name, given] of Object.entries(change)) {
    if (given === undefined) continue;
    const value = JSON.stringify(given);
    await query
      .insertInto('settings')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
  }
}
