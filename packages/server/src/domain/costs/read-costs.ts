import { type CsvLine, parseCsv } from '@leadtrail/contract/read-csv';
import { type DecimalMark, decimalMark, readNumber } from '@leadtrail/contract/read-number';
import { caseFolded } from '../../lib/case-folded.ts';
import { DAY_MS } from '../../lib/utc-time.ts';
import { DIRECT_SOURCE, NONE } from '../tracking/channels.ts';
import {
  type Columns,
  type CostColumn,
  type CostFormat,
  columnsOf,
  type Mapping,
  otherEndOf,
  readFormat,
  TITLE_LINES_MAX,
} from './cost-formats.ts';

/** Reads a cost file line by line; a line that cannot be counted is skipped with the reason. */

export type Cost = {
  day: string;
  site_key: string;
  source: string;
  medium: string;
  campaign: string;
  amount_micros: number;
  clicks: number;
  impressions: number;
};

export type ReadCosts = {
  format: CostFormat;
  /** Which column of the file each field was read from. */
  columns: Partial<Record<CostColumn, string>>;
  costs: Cost[];
  skipped: { line: number; reason: string }[];
};

/** How the file writes amounts and dates. */
type Spelling = { currency: string; decimal: DecimalMark | undefined; isDayFirst: boolean };

type ReadOptions = {
  /** Columns that the user has assigned to fields. */
  mapping?: Mapping;
  /** The user's defaults for lines without a source or medium. */
  usual?: { source?: string | undefined; medium?: string | undefined };
  currency: string;
  /** Yields the main thread while a long file is read. */
  pause: () => Promise<void>;
};

const TEXT_CHARS_MAX = 512;
const MICROS = 1_000_000;
const AMOUNT_MAX = 1e9;
const LINES_PER_PAUSE = 500;

/** A string: why the file as a whole cannot be read. */
export async function readCosts(
  text: string,
  { mapping = {}, usual = {}, currency, pause }: ReadOptions,
): Promise<ReadCosts | string> {
  const lines = parseCsv(text);
  const first = firstLines(lines, TITLE_LINES_MAX);
  const found = readFormat(first, mapping);
  if (typeof found === 'string') return found;
  const { format, header, headerLine } = found;
  const defaults = {
    source: usual.source ?? format.source ?? DIRECT_SOURCE,
    medium: usual.medium ?? format.medium ?? NONE,
  };
  const columns = columnsOf(format, header, mapping);
  if (typeof columns === 'string') return columns;

  const [, headerCurrency = ''] = /\(([A-Z]{3})\)$/.exec(header[columns.amount ?? -1] ?? '') ?? [];
  const otherEnd = otherEndOf(header, columns);
  const spelling = await spellingOf(text, { columns, currency, pause });
  const byKey = new Map<string, Cost>();
  const skipped: ReadCosts['skipped'] = [];
  let linesRead = 0;
  for (const { cells, line } of concatenated(first.slice(headerLine + 1), lines)) {
    linesRead += 1;
    if (linesRead % LINES_PER_PAUSE === 0) await pause();
    if (cells.every((cell) => cell.trim() === '')) continue;
    const field = (name: CostColumn) =>
      cells[columns[name] ?? -1]?.trim() || (name === 'currency' ? headerCurrency : '');
    const cost = readCost(field, { ...defaults, otherEnd: cells[otherEnd ?? -1]?.trim() ?? '' }, spelling);
    const reason = typeof cost === 'string' ? cost : addUp(byKey, cost);
    if (reason !== null) skipped.push({ line, reason });
  }
  const names = Object.entries(columns).map(([name, i]) => [name, header[i]]);
  return { format, columns: Object.fromEntries(names), costs: [...byKey.values()], skipped };
}

/**
 * Decided by the first unambiguous amount and date: `12.345` is another amount beside `7.5` than beside
 * `7,5`, and `03/02/2026` another day beside `28/02/2026` than beside `02/28/2026`. The lines above the
 * header have neither.
 */
async function spellingOf(
  text: string,
  { columns, currency, pause }: { columns: Columns; currency: string; pause: () => Promise<void> },
): Promise<Spelling> {
  let decimal: DecimalMark | undefined;
  let isDayFirst: boolean | undefined;
  let linesRead = 0;
  for (const { cells } of parseCsv(text)) {
    linesRead += 1;
    if (linesRead % LINES_PER_PAUSE === 0) await pause();
    decimal ??= decimalMark(cells[columns.amount ?? -1] ?? '', { currency });
    isDayFirst ??= saysDayFirst(cells[columns.date ?? -1] ?? '');
    if (decimal !== undefined && isDayFirst !== undefined) break;
  }
  return { currency, decimal, isDayFirst: isDayFirst ?? false };
}

function firstLines(lines: Iterator<CsvLine>, max: number): CsvLine[] {
  const first: CsvLine[] = [];
  while (first.length < max) {
    const { value, done } = lines.next();
    if (done) break;
    first.push(value);
  }
  return first;
}

function* concatenated<T>(...parts: readonly Iterable<T>[]): Generator<T> {
  for (const part of parts) yield* part;
}

/** Exports have a line for each ad group or ad; a day of a campaign is their sum. A string: why a line is not added. */
function addUp(byKey: Map<string, Cost>, cost: Cost): string | null {
  const key = [cost.day, cost.site_key, cost.source, cost.medium, caseFolded(cost.campaign)].join('\n');
  const before = byKey.get(key);
  if (before === undefined) {
    byKey.set(key, cost);
    return null;
  }
  const sums = {
    amount_micros: before.amount_micros + cost.amount_micros,
    clicks: before.clicks + cost.clicks,
    impressions: before.impressions + cost.impressions,
  };
  if (!Object.values(sums).every(Number.isSafeInteger)) return 'the sum of its day and campaign is too large';
  Object.assign(before, sums);
  return null;
}

function readCost(
  field: (name: CostColumn) => string,
  { source, medium, otherEnd }: { source: string; medium: string; otherEnd: string },
  spelling: Spelling,
): Cost | string {
  const { currency, isDayFirst } = spelling;
  const day = readDay(field('date'), isDayFirst);
  if (day === null) return /^(?:total|summe|gesamt)/i.test(field('date')) ? 'a total' : 'date is not a day';
  if (coversMore(day, `${field('date')} ${otherEnd}`, isDayFirst)) {
    return 'covers several days: export by day';
  }
  const given = field('currency').toUpperCase();
  if (given !== '' && given !== currency) return `currency is ${given.slice(0, 16)}, not ${currency}`;
  const amount = isNothing(field('amount')) ? 0 : readNumber(field('amount'), spelling);
  if (amount === null || amount < 0 || amount > AMOUNT_MAX) return 'amount is not a sum of money';
  const clicks = readCount(field('clicks'));
  const impressions = readCount(field('impressions'));
  if (clicks === null) return 'clicks is not a number';
  if (impressions === null) return 'impressions is not a number';
  return {
    day,
    site_key: bounded(field('site')),
    source: bounded((field('source') || source).toLowerCase()),
    medium: bounded((field('medium') || medium).toLowerCase()),
    campaign: bounded(field('campaign') || NONE),
    amount_micros: Math.round(amount * MICROS),
    clicks,
    impressions,
  };
}

function bounded(text: string): string {
  return text.slice(0, TEXT_CHARS_MAX).toWellFormed().replaceAll('\0', '\uFFFD');
}

const ISO_DAY = /^(\d{4})-(\d{1,2})-(\d{1,2})/;
const DOTTED_DAY = /^(\d{1,2})\.(\d{1,2})\.(\d{4})/;
const SLASHED_DAY = /^(\d{1,2})\/(\d{1,2})\/(\d{4})/;
const DAYS = /\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{4}/g;
const MONTHS = 12;

/** Undefined: ambiguous. */
function saysDayFirst(text: string): boolean | undefined {
  const [, first, second] = SLASHED_DAY.exec(text.trim()) ?? [];
  if (Number(first) > MONTHS) return true;
  return Number(second) > MONTHS ? false : undefined;
}

/** Dates with slashes are month first, as Microsoft exports them, unless the file shows otherwise. */
export function readDay(text: string, isDayFirst = false): string | null {
  const iso = ISO_DAY.exec(text);
  if (iso !== null) return dayOf(iso[1], iso[2], iso[3]);
  const dotted = DOTTED_DAY.exec(text);
  if (dotted !== null) return dayOf(dotted[3], dotted[2], dotted[1]);
  const slashed = SLASHED_DAY.exec(text);
  if (slashed === null) return null;
  const [, first, second, year] = slashed;
  return isDayFirst ? dayOf(year, second, first) : dayOf(year, first, second);
}

/** Whether a text has other days besides: reports by week or month have ranges such as `10/4/2026 - 10/10/2026`. */
function coversMore(day: string, text: string, isDayFirst: boolean): boolean {
  return text.match(DAYS)?.some((each) => readDay(each, isDayFirst) !== day) ?? false;
}

function dayOf(year = '', month = '', day = ''): string | null {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const at = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(at) || at < 0 || at > 40_000 * DAY_MS) return null;
  return new Date(at).toISOString().startsWith(text) ? text : null;
}

/** Exports write two dashes for no value. */
function isNothing(text: string): boolean {
  return text === '--';
}

function readCount(text: string): number | null {
  if (text === '' || isNothing(text)) return 0;
  // Not with the file's decimal mark: a count has no decimals, so an ambiguous separator groups digits.
  const number = readNumber(text);
  return number === null || number < 0 || number > Number.MAX_SAFE_INTEGER ? null : Math.round(number);
}
