import { SAVED_VIEWS_MAX } from '@leadtrail/contract/limits';
import type { SavedView } from '@leadtrail/contract/saved-views';
import type { SavedViewPage } from '@leadtrail/contract/view-pages';
import { caseFolded } from '../lib/case-folded.ts';
import { dateTime } from '../lib/utc-time.ts';
import type { Db } from './dialect.ts';
import { read, write } from './operation.ts';
import { countOf } from './paging.ts';
import type { SavedViewRow } from './schema.ts';

/** Saved views of lists, visible to all users. */

export const savedViews = read(
  { shows: ['setup'] },
  async ({ query, dialect }, { page }: { page?: SavedViewPage | undefined }): Promise<SavedView[]> => {
    const views = await query
      .selectFrom('saved_views')
      .selectAll()
      .$if(page !== undefined, (select) => select.where('page', '=', page as SavedViewPage))
      .orderBy(dialect.byBytes('name_key'))
      .orderBy('view_id')
      .execute();
    return views.map(onWire);
  },
);

type NewView = { id: string; page: SavedViewPage; name: string; search: string; now: number };

export const saveView = write(
  { changes: ['setup'] },
  async (db, { id, page, name, search, now }: NewView): Promise<SavedView | 'taken' | 'full'> => {
    await db.dialect.lock('setup');
    if (await isTaken(db, { page, name, id })) return 'taken';
    if ((await countOf(db.query.selectFrom('saved_views'))) >= SAVED_VIEWS_MAX) return 'full';
    const view = { view_id: id, page, name, name_key: caseFolded(name), search, saved_at: now };
    await db.query.insertInto('saved_views').values(view).execute();
    return onWire(view);
  },
);

type ViewChange = { id: string; name?: string | undefined; search?: string | undefined; now: number };

export const updateView = write(
  { changes: ['setup'] },
  async (db, { id, now, ...change }: ViewChange): Promise<SavedView | 'taken' | 'unknown'> => {
    await db.dialect.lock('setup');
    const present = await db.query
      .selectFrom('saved_views')
      .selectAll()
      .where('view_id', '=', id)
      .executeTakeFirst();
    if (present === undefined) return 'unknown';
    const { name = present.name, search = present.search } = change;
    if (await isTaken(db, { page: present.page, name, id })) return 'taken';
    const view = { ...present, name, name_key: caseFolded(name), search, saved_at: now };
    await db.query.updateTable('saved_views').set(view).where('view_id', '=', id).execute();
    return onWire(view);
  },
);

export const deleteView = write(
  { changes: ['setup'] },
  async ({ query }, { id }: { id: string }): Promise<boolean> => {
    const { numDeletedRows } = await query
      .deleteFrom('saved_views')
      .where('view_id', '=', id)
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  },
);

async function isTaken(
  { query }: Db,
  { page, name, id }: Pick<NewView, 'page' | 'name' | 'id'>,
): Promise<boolean> {
  const other = await query
    .selectFrom('saved_views')
    .select('view_id')
    .where('page', '=', page)
    .where('name_key', '=', caseFolded(name))
    .where('view_id', '<>', id)
    .executeTakeFirst();
  return other !== undefined;
}

function onWire({ view_id, page, name, search, saved_at }: SavedViewRow): SavedView {
  return { id: view_id, page, name, search, saved_at: dateTime(saved_at) };
}
