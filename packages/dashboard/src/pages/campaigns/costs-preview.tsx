import type { CostsImported } from '@leadtrail/contract/costs';
import { counted, formatMoney } from '../../format.ts';
import { spanText } from '../../frame/compared-period.ts';
import { Facts } from '../../ui/facts.tsx';

const FORMATS: Readonly<Record<CostsImported['format'], string>> = {
  plain: 'Plain CSV',
  google_ads: 'Google Ads',
  meta_ads: 'Meta Ads',
  microsoft_ads: 'Microsoft Advertising',
};
const SKIPPED_SHOWN = 20;

/** What importing a file would add. */
export function CostsPreview({ found }: { found: CostsImported }) {
  const { format, rows, days, from, to, amount, currency, columns, lines_skipped, skipped } = found;
  return (
    <section aria-label="Preview" className="grid gap-3 rounded-lg bg-sunken p-4">
      <Facts
        facts={[
          { name: 'Format', value: FORMATS[format] },
          { name: 'To import', value: `${counted(rows, 'row')} for ${counted(days, 'day')}` },
          // Reveals misread dates and decimals.
          { name: 'Days', value: from && to && spanText({ from, to }), isWide: true },
          { name: 'Total', value: formatMoney(amount, currency) },
          { name: 'Lines skipped', value: lines_skipped },
          { name: 'Columns read', value: Object.entries(columns).map(columnText).join(', '), isWide: true },
        ]}
      />
      {skipped.length > 0 && (
        <ul aria-label="Lines skipped" className="grid gap-1 text-[0.8125rem] text-ink-soft">
          {skipped.slice(0, SKIPPED_SHOWN).map(({ line, reason }) => (
            <li key={line}>
              Line {line}: {reason}
            </li>
          ))}
          {lines_skipped > SKIPPED_SHOWN && (
            <li>and {counted(lines_skipped - SKIPPED_SHOWN, 'more line')}</li>
          )}
        </ul>
      )}
    </section>
  );
}

/** Which field a column was read as, where its name does not say so. */
function columnText([field, column]: [field: string, column: string]): string {
  return column.toLowerCase() === field ? column : `${column} (${field})`;
}
