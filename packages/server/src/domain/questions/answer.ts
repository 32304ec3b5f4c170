import { METRICS, type MetricName } from '@leadtrail/contract/question-fields';
import type { QuestionAnswer } from '@leadtrail/contract/questions';
import { csvLine } from '../../lib/csv.ts';
import type { CheckedQuestion } from './question.ts';

/** What the copy answers: for each metric its value, and that of the period it is compared with. */
export type FoundFigures = { metrics: (number | null)[]; previous: (number | null)[] };
export type FoundRow = FoundFigures & { dimensions: string[] };

/** Rounded, and with the change in percent. */
export function comparedFigures({ metrics: names, previous }: CheckedQuestion, found: FoundFigures) {
  const metrics = found.metrics.map((value, i) => rounded(value, names[i] as MetricName));
  if (previous === null) return { metrics };
  const before = found.previous.map((value, i) => rounded(value, names[i] as MetricName));
  return { metrics, previous: before, change: metrics.map((value, i) => changeOf(value, before[i] ?? null)) };
}

/** Linear attribution counts fractions of leads. */
const COUNT_DECIMALS = 6;
const DECIMALS = 2;

function rounded(value: number | null, name: MetricName): number | null {
  if (value === null) return null;
  return round(value, METRICS[name].kind === 'count' ? COUNT_DECIMALS : DECIMALS);
}

function round(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  // Makes up for the binary representation: 1.005 is stored as slightly less.
  return Math.round(value * factor * (1 + 8 * Number.EPSILON)) / factor;
}

function changeOf(value: number | null, before: number | null): number | null {
  return value === null || before === null || before === 0
    ? null
    : round(((value - before) / before) * 100, 1);
}

/** No money means that none was recorded: an empty cell, because 0 would say that it was free. */
function shownMoney(value: number | null, name: MetricName): number | null {
  return value === 0 && METRICS[name].kind === 'money' ? null : value;
}

/** A line for each row: the dimensions, then the metrics, then those of the period before, with their changes. */
export function answerAsCsv(
  { metrics, dimensions, previous }: CheckedQuestion,
  { rows }: QuestionAnswer,
): string {
  const compared = previous === null ? [] : metrics.flatMap((name) => [`previous_${name}`, `change_${name}`]);
  const cell = (value: number | null, i: number) => shownMoney(value, metrics[i] as MetricName);
  const lines = rows.map((row) => [
    ...row.dimensions,
    ...row.metrics.map(cell),
    ...(row.previous ?? []).flatMap((value, i) => [cell(value, i), row.change?.[i] ?? null]),
  ]);
  // The byte order mark tells spreadsheets that it is UTF-8.
  return `\u{FEFF}${[[...dimensions, ...metrics, ...compared], ...lines].map(csvLine).join('')}`;
}
