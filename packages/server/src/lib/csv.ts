/** Lines of comma-separated values as spreadsheets read them (RFC 4180). */

export type Cell = string | number | null;

/** CSV injection: what spreadsheets take for a formula, full-width signs included. */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;
/**
 * Where the list separator is a semicolon, spreadsheets do not recognise quotes that open after a comma, so
 * that a cell begins after each semicolon and line break of a text. Matched backwards from the sign: forwards
 * from each of many line breaks would be quadratic.
 */
const INNER_FORMULA = /(?=[=+\-@＝＋－＠])(?<=[;\r\n][\s"]*)/g;
const NEEDS_QUOTES = /[",;\r\n]/;

export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** An apostrophe in front of a formula makes it text. */
function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = (FORMULA.test(cell) ? `'${cell}` : cell).replaceAll(INNER_FORMULA, "'");
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
