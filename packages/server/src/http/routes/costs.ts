import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { COST_COLUMNS } from '../../domain/costs/cost-formats.ts';
import { readCosts } from '../../domain/costs/read-costs.ts';
import type { AppSettings } from '../../flows/app-settings.ts';
import { AppError } from '../../lib/errors.ts';
import { dateTime } from '../../lib/utc-time.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';

const MICROS = 1_000_000;
const FILE_NAME_CHARS_MAX = 256;
const SKIPPED_SHOWN_MAX = 100;

export function costRoutes({
  store,
  settings,
  now,
}: {
  store: Store;
  settings: AppSettings;
  now: () => number;
}): Pick<Handlers, 'importCosts' | 'costImports' | 'deleteCosts'> {
  return {
    async importCosts({ query, file }) {
      const { dry_run: dryRun = false, default_source, default_medium, ...named } = query;
      const sent = await file();
      const { currency } = await settings.current();
      const mapping = Object.fromEntries(
        COST_COLUMNS.flatMap((name) => (named[name] === undefined ? [] : [[name, named[name]]])),
      );
      const usual = { source: default_source, medium: default_medium };
      const read = await readCosts(sent.text, { mapping, usual, currency, pause: setImmediate });
      if (typeof read === 'string') throw new AppError('invalid', `The file cannot be imported: ${read}.`);
      const { costs, columns, skipped } = read;
      const importId = createHash('sha256').update(JSON.stringify(costs)).digest('hex').slice(0, 32);
      if (!dryRun && costs.length > 0) {
        const fileName = sent.name.slice(0, FILE_NAME_CHARS_MAX).toWellFormed();
        await store.importCosts({ importId, format: read.format.name, fileName, costs, now: now() });
      }
      const days = [...new Set(costs.map(({ day }) => day))].sort();
      return {
        import_id: importId,
        dry_run: dryRun,
        format: read.format.name,
        columns: columns as Record<string, string>,
        rows: costs.length,
        days: days.length,
        from: days[0] ?? null,
        to: days.at(-1) ?? null,
        amount: costs.reduce((sum, { amount_micros }) => sum + amount_micros, 0) / MICROS,
        currency,
        lines_skipped: skipped.length,
        skipped: skipped.slice(0, SKIPPED_SHOWN_MAX),
      };
    },
    async costImports({ query }) {
      const { rows, total } = await store.costImports(query);
      return {
        imports: rows.map(({ imported_at, first_day, last_day, amount_micros, ...row }) => ({
          ...row,
          rows: Number(row.rows),
          imported_at: dateTime(imported_at),
          from: first_day,
          to: last_day,
          amount: amount_micros / MICROS,
        })),
        total,
        currency: (await settings.current()).currency,
      };
    },
    async deleteCosts({ params }) {
      if (await store.deleteCosts({ importId: params.import_id })) return { deleted: true };
      throw new AppError('not_found', 'There is no such import.');
    },
  };
}
