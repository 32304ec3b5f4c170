import { COPIED_TABLES, type CopiedRow, type CopiedTable } from '../domain/questions/copied-tables.ts';

/** Rows of a table as columns: the form in which threads transfer them and DuckDB appends them. */
export type Block = { rowCount: number; columns: Column[] };

export type Column = Texts | readonly Value[];

/**
 * Dictionary-encoded: each distinct text once, because transferring texts costs more than everything else.
 */
export type Texts = {
  texts: string[];
  /** For each row, the index of its text. */
  places: Uint16Array<ArrayBuffer>;
};

type Value = string | number | null;

/** DuckDB's own vector size. */
const BLOCK_ROWS = 2048;

export function blocksOf<T extends CopiedTable>(table: T, rows: readonly CopiedRow<T>[]): Block[] {
  const columns = Object.entries(COPIED_TABLES[table]);
  const blocks: Block[] = [];
  for (let start = 0; start < rows.length; start += BLOCK_ROWS) {
    const part = rows.slice(start, start + BLOCK_ROWS) as readonly Record<string, Value>[];
    blocks.push({ rowCount: part.length, columns: columnsOf(columns, part) });
  }
  return blocks;
}

/** The buffers to transfer instead of copying when a block is posted. */
export function buffersOf(blocks: readonly Block[]): ArrayBuffer[] {
  return blocks.flatMap(({ columns }) =>
    columns.flatMap((column) => ('texts' in column ? [column.places.buffer] : [])),
  );
}

/** Row by row: iterating over all rows once per column takes twice as long. */
function columnsOf(
  columns: readonly [name: string, type: string][],
  rows: readonly Record<string, Value>[],
): Column[] {
  const collected = columns.map(([, type]) =>
    type === 'VARCHAR' ? collectTexts(rows.length) : collectValues(),
  );
  for (const row of rows) {
    for (let i = 0; i < columns.length; i += 1) collected[i]?.add(row[columns[i]?.[0] as string] as Value);
  }
  return collected.map(({ column }) => column);
}

type Collected = { column: Column; add(value: Value): void };

function collectValues(): Collected {
  const column: Value[] = [];
  return { column, add: (value) => void column.push(value) };
}

function collectTexts(rowCount: number): Collected {
  const column: Texts = { texts: [], places: new Uint16Array(rowCount) };
  const known = new Map<Value, number>();
  let row = 0;
  let last: Value = null;
  let place = 0;
  return {
    column,
    add(text) {
      if (text !== last) {
        last = text;
        place = known.get(text) ?? known.size;
        if (place === known.size) {
          known.set(text, place);
          column.texts.push(text as string);
        }
      }
      column.places[row] = place;
      row += 1;
    },
  };
}
