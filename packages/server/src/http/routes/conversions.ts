import { startOf } from '../../domain/leads/submission-period.ts';
import type { AppSettings } from '../../flows/app-settings.ts';
import { exportConversions } from '../../flows/export-conversions.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { asDownload } from '../download.ts';

export function conversionRoutes(parts: {
  store: Store;
  settings: AppSettings;
  now: () => number;
}): Pick<Handlers, 'exportConversions'> {
  return {
    async exportConversions({ query, reply, method }) {
      const { platform, goal, since, again = false, name } = query;
      const { currency } = await parts.settings.current();
      const filter = { platform, goal, since: since === undefined ? 0 : startOf(since), again };
      const pieces = exportConversions(
        parts,
        { ...filter, name, currency },
        { leavesTrace: method !== 'HEAD' },
      );
      return asDownload(pieces, reply, {
        type: 'text/csv; charset=utf-8',
        name: `conversions-${platform}-${goal}.csv`,
      });
    },
  };
}
