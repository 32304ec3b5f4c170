import { QUESTION_LIMIT_MAX, QUESTION_OFFSET_MAX } from '@leadtrail/contract/limits';
import type { DimensionName } from '@leadtrail/contract/question-fields';
import { addressOf, send } from '../../api/client.ts';
import type { AskedQuestion } from '../../api/query-keys.ts';

/** A cell, quoted or not. */
const CELL = '(?:"[^"]*")*[^,"]*';
const LINES = /(?:"[^"]*"|[^"\n])*\n/g;

type LinesOfTable = { header: string; lines: readonly string[] };
export type TableCsv = { text: string; rows: number; isWhole: boolean };

/**
 * In the order of the question as long as one page has all rows. More are read by name: new visits change the
 * figures meanwhile, and rows sorted by figures would move from page to page.
 */
export async function tableCsv(
  question: AskedQuestion,
  dimensions: readonly DimensionName[],
): Promise<TableCsv> {
  const first = await pageOf({ ...question, dimensions: [...dimensions] });
  if (first.lines.length < QUESTION_LIMIT_MAX) return csvOf(first, { isWhole: true });

  const byName: AskedQuestion = {
    ...question,
    dimensions: [...dimensions],
    order_by: dimensions.map((name) => [name, 'asc']),
  };
  const key = new RegExp(`^${dimensions.map(() => CELL).join(',')}`);
  const lines = new Map<string, string>();
  let isWhole = false;
  for (let offset = 0; offset <= QUESTION_OFFSET_MAX && !isWhole; offset += QUESTION_LIMIT_MAX) {
    const page = await pageOf({ ...byName, offset });
    // A row that is new meanwhile shifts the others, so that a page can begin with the last row before it.
    for (const line of page.lines) lines.set(key.exec(line)?.[0] ?? line, line);
    isWhole = page.lines.length < QUESTION_LIMIT_MAX;
  }
  return csvOf({ header: first.header, lines: [...lines.values()] }, { isWhole });
}

async function pageOf(question: AskedQuestion): Promise<LinesOfTable> {
  const body = { ...question, limit: QUESTION_LIMIT_MAX };
  const response = await send('POST', addressOf('askQuestion'), { body, accept: 'text/csv' });
  const [header = '', ...lines] = (await response.text()).match(LINES) ?? [];
  return { header, lines };
}

/** The byte order mark, which reading an answer drops, tells spreadsheets that it is UTF-8. */
function csvOf({ header, lines }: LinesOfTable, { isWhole }: { isWhole: boolean }): TableCsv {
  return { text: `\u{FEFF}${header}${lines.join('')}`, rows: lines.length, isWhole };
}
