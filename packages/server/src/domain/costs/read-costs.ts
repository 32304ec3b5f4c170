import { type DecimalMark, decimalMark, readNumber } from '@leadtrail/contract/read-number';
import { caseFolded } from '../../lib/case-folded.ts';
import { type CsvLine, parseCsv } from '../../lib/read-csv.ts';
import { DAY_MS } from '../../lib/utc-time.ts';
import { DIRECT_SOURCE, NONE } from '../tracking/channels.ts';
import {
  type CostColumn,
  type CostFormat,
  columnsOf,
  type Mapping,
  readFormat,
  TITLE_LINES_MAX,
} from './cost-formats.ts';

/** A file of costs, line by line: what can be counted, and what is left out with the reason. */

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

/** How the file writes sums. */
type Money = { currency: string; decimal: DecimalMark | undefined };

const TEXT_CHARS_MAX = 512;
const MICROS = 1_000_000;
const AMOUNT_MAX = 1e9;
const LINES_PER_PAUSE = 500;

/** A string: the file as a whole makes no sense, for that reason. A long file is read with pauses. */
export async function readCosts(
  text: string,
  mapping: Mapping,
  { currency, pause }: { currency: string; pause: () => Promise<void> },
): Promise<ReadCosts | string> {
  const lines = parseCsv(text);
  const first = firstLines(lines, TITLE_LINES_MAX);
  const found = readFormat(first, mapping);
  if (typeof found === 'string') return found;
  const { format, header, headerLine } = found;
  const columns = columnsOf(format, header, mapping);
  if (typeof columns === 'string') return columns;

  const [, headerCurrency = ''] = /\(([A-Z]{3})\)$/.exec(header[columns.amount ?? -1] ?? '') ?? [];
  const decimal = await decimalMarkOf(text, { column: columns.amount ?? -1, currency, pause });
  const byKey = new Map<string, Cost>();
  const skipped: ReadCosts['skipped'] = [];
  let linesRead = 0;
  for (const { cells, line } of inOrder(first.slice(headerLine + 1), lines)) {
    linesRead += 1;
    if (linesRead % LINES_PER_PAUSE === 0) await pause();
    if (cells.every((cell) => cell.trim() === '')) continue;
    const field = (name: CostColumn) =>
      cells[columns[name] ?? -1]?.trim() || (name === 'currency' ? headerCurrency : '');
    const cost = readCost(field, format, { currency, decimal });
    if (typeof cost === 'string') skipped.push({ line, reason: cost });
    else addUp(byKey, cost);
  }
  const names = Object.entries(columns).map(([name, i]) => [name, header[i]]);
  return { format, columns: Object.fromEntries(names), costs: [...byKey.values()], skipped };
}

/**
 * How the file writes decimals, by the first sum that says so: `12.345` is another sum beside `7.5` than beside `7,5`.
 * The lines above the header have none.
 */
async function decimalMarkOf(
  text: string,
  { column, currency, pause }: { column: number; currency: string; pause: () => Promise<void> },
): Promise<DecimalMark | undefined> {
  let linesRead = 0;
  for (const { cells } of parseCsv(text)) {
    linesRead += 1;
    if (linesRead % LINES_PER_PAUSE === 0) await pause();
    const mark = decimalMark(cells[column] ?? '', { currency });
    if (mark !== undefined) return mark;
  }
  return undefined;
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

function* inOrder<T>(...parts: readonly Iterable<T>[]): Generator<T> {
  for (const part of parts) yield* part;
}

/** Exports have a line for each ad group or ad; a day of a campaign is their sum. */
function addUp(byKey: Map<string, Cost>, cost: Cost): void {
  const key = [cost.day, cost.site_key, cost.source, cost.medium, caseFolded(cost.campaign)].join('\n');
  const before = byKey.get(key);
  if (before === undefined) {
    byKey.set(key, cost);
    return;
  }
  before.amount_micros += cost.amount_micros;
  before.clicks += cost.clicks;
  before.impressions += cost.impressions;
}

function readCost(field: (name: CostColumn) => string, format: CostFormat, money: Money): Cost | string {
  const { currency } = money;
  const day = readDay(field('date'));
  if (day === null) return /^(?:total|summe|gesamt)/i.test(field('date')) ? 'a total' : 'date is not a day';
  const given = field('currency').toUpperCase();
  if (given !== '' && given !== currency) return `currency is ${given.slice(0, 16)}, not ${currency}`;
  const amount = isNothing(field('amount')) ? 0 : readNumber(field('amount'), money);
  if (amount === null || amount < 0 || amount > AMOUNT_MAX) return 'amount is not a sum of money';
  const clicks = readCount(field('clicks'));
  const impressions = readCount(field('impressions'));
  if (clicks === null) return 'clicks is not a number';
  if (impressions === null) return 'impressions is not a number';
  return {
    day,
    site_key: bounded(field('site')),
    source: bounded(field('source').toLowerCase() || format.source || DIRECT_SOURCE),
    medium: bounded(field('medium').toLowerCase() || format.medium || NONE),
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
/** As Microsoft writes it in English: month first. */
const SLASHED_DAY = /^(\d{1,2})\/(\d{1,2})\/(\d{4})/;

export function readDay(text: string): string | null {
  const iso = ISO_DAY.exec(text);
  if (iso !== null) return dayOf(iso[1], iso[2], iso[3]);
  const dotted = DOTTED_DAY.exec(text);
  if (dotted !== null) return dayOf(dotted[3], dotted[2], dotted[1]);
  const slashed = SLASHED_DAY.exec(text);
  return slashed === null ? null : dayOf(slashed[3], slashed[1], slashed[2]);
}

function dayOf(year = '', month = '', day = ''): string | null {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const at = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(at) || at < 0 || at > 40_000 * DAY_MS) return null;
  return new Date(at).toISOString().startsWith(text) ? text : null;
}

/** Exports have two dashes where there was nothing to pay for or to count. */
function isNothing(text: string): boolean {
  return text === '--';
}

function readCount(text: string): number | null {
  if (text === '' || isNothing(text)) return 0;
  // Without the decimals of the file: a count has none, so what could be read as such groups.
  const number = readNumber(text);
  return number === null || number < 0 || number > Number.MAX_SAFE_INTEGER ? null : Math.round(number);
}
