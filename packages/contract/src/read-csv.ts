/** Comma-separated values as programs export them (RFC 4180). Detects the separator. */

export type CsvLine = { cells: string[] /** In the file, from 1. */; line: number };

const SEPARATORS = [',', ';', '\t'] as const;
const LOOKED_AT_CHARS = 4096;
/** Further cells are dropped; no real table has as many. */
const CELLS_MAX = 256;
/** A longer quoted cell is cut: a reader can pause only between lines. */
const CELL_CHARS_MAX = 64 * 1024;

/**
 * Decodes UTF-16 by its byte order mark (Google Ads exports for spreadsheets), UTF-8, and anything else as
 * windows-1252, which Excel writes in Western Europe. `isCut`: the bytes may end within a character.
 */
export function textOfFile(bytes: Uint8Array, { isCut = false } = {}): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  if (isUtf16) return new TextDecoder('utf-16le').decode(bytes, { stream: isCut });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Lazy, so that the reader of a long file can pause between lines. */
export function* parseCsv(given: string): Generator<CsvLine> {
  const text = given.replace(/^\u{FEFF}/u, '');
  const separator = separatorOf(text);
  const ends = new RegExp(`[${separator}\n]`, 'g');
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const cells: string[] = [];
    const startLine = line;
    for (let isEnd = false; !isEnd; ) {
      const isQuoted = text[at] === '"';
      const { cell, end } = isQuoted ? quotedCell(text, at) : plainCell(text, at, ends);
      cells.push(cell);
      if (isQuoted) line += cell.split('\n').length - 1;
      isEnd = end >= text.length || text[end] === '\n';
      at = end + 1;
      if (isEnd || cells.length < CELLS_MAX) continue;
      const next = text.indexOf('\n', at);
      at = next === -1 ? text.length : next + 1;
      isEnd = true;
    }
    line += 1;
    yield { cells, line: startLine };
  }
}

type Cell = { cell: string /** Where its separator is, or the end of the line. */; end: number };

function plainCell(text: string, at: number, ends: RegExp): Cell {
  ends.lastIndex = at;
  const end = ends.exec(text)?.index ?? text.length;
  return { cell: text.slice(at, end).replace(/\r$/, ''), end };
}

/** Quotes in it are doubled; anything between the closing quote and the separator is dropped. */
function quotedCell(text: string, at: number): Cell {
  const last = Math.min(at + CELL_CHARS_MAX, text.length);
  let close = text.indexOf('"', at + 1);
  while (close !== -1 && close < last && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  if (close === -1 || close > last) close = last;
  const cell = text.slice(at + 1, close).replaceAll('""', '"');
  const rest = /[,;\t\n]/g;
  rest.lastIndex = close;
  return { cell, end: rest.exec(text)?.index ?? text.length };
}

/** The most frequent one at the beginning. */
function separatorOf(text: string): string {
  const beginning = text.slice(0, LOOKED_AT_CHARS);
  const counts = SEPARATORS.map((separator) => beginning.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ',';
}
