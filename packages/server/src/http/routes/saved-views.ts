import { SAVED_VIEWS_MAX } from '@leadtrail/contract/limits';
import { AppError } from '../../lib/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { kept } from '../kept.ts';
import { deletionOf, type RecordKind, recordOf } from '../managed-record.ts';

const VIEW: RecordKind = { name: 'view of this page', uniqueField: 'name' };

export function savedViewRoutes({
  store,
  now,
  newId,
}: {
  store: Store;
  now: () => number;
  newId: () => string;
}): Pick<Handlers, 'savedViews' | 'saveView' | 'updateView' | 'deleteView'> {
  return {
    savedViews: kept({ from: ['savedViews'] }, async ({ query }) => ({
      views: await store.savedViews(query),
    })),
    async saveView({ body }) {
      const saved = await store.saveView({ id: newId(), ...body, now: now() });
      if (saved !== 'full') return recordOf(saved, VIEW);
      throw new AppError('conflict', `There are ${SAVED_VIEWS_MAX} views at most. Delete one first.`);
    },
    updateView: async ({ params, body }) =>
      recordOf(await store.updateView({ ...params, ...body, now: now() }), VIEW),
    deleteView: async ({ params }) => deletionOf(await store.deleteView(params), VIEW),
  };
}
