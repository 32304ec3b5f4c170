/**
 * Amounts and numbers as people write them, read the same way in a field of the dashboard and in a cost file:
 * `1,234.56`, `1.234,56`, `1 234,5`, `1'000`, `4,50,000`. Of two kinds of separators the last one is decimal;
 * a single one with exactly three digits after it groups.
 */

export type DecimalMark = '.' | ',';

type Known = {
  /** Its code may precede or follow the number. Any other code or word makes it no number. */
  currency?: string | undefined;
  /** If known from other numbers of the same file, three digits after it are decimals as well. */
  decimal?: DecimalMark | undefined;
};

/** By threes, all with the same separator, or as in India. */
const GROUPED = /^(?:\d+|[1-9]\d{0,2}([.,' ])\d{3}(?:\1\d{3})*|[1-9]\d?(?:,\d\d)+,\d{3})$/;

/** Null: not a number, or an ambiguous one. */
export function readNumber(text: string, { currency, decimal }: Known = {}): number | null {
  const written = bare(text, currency);
  const sign = written.startsWith('-') ? '-' : '';
  const digits = written.slice(sign.length);
  const mark = markOf(digits, decimal);
  const end = mark === undefined ? digits.length : digits.indexOf(mark);
  const whole = digits.slice(0, end);
  const decimals = mark === undefined ? '0' : digits.slice(end + 1);
  if (!GROUPED.test(whole) || !/^\d+$/.test(decimals)) return null;
  return Number(`${sign}${whole.replaceAll(/\D/g, '')}.${decimals}`);
}

/** The mark before the decimals; undefined: there is none, or it is ambiguous. */
export function decimalMark(
  text: string,
  { currency }: Pick<Known, 'currency'> = {},
): DecimalMark | undefined {
  return readNumber(text, { currency }) === null ? undefined : markOf(bare(text, currency), undefined);
}

function markOf(digits: string, known: DecimalMark | undefined): DecimalMark | undefined {
  const at = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (at === -1) return undefined;
  const mark = digits[at] as DecimalMark;
  const whole = digits.slice(0, at);
  if (whole.includes(mark)) return undefined;
  const couldGroup = digits.length - at === 4 && whole !== '0' && !/[.,' ]/.test(whole);
  return couldGroup && mark !== known ? undefined : mark;
}

/** Without its currency, and with spaces, apostrophes and minus signs normalised. */
function bare(text: string, currency: string | undefined): string {
  const plain = text.replaceAll(/\s/g, ' ').replaceAll('’', "'").replaceAll('−', '-').trim();
  const number = plain
    .replace(/^\p{Sc}/u, '')
    .replace(/\p{Sc}$/u, '')
    .trim();
  if (currency === undefined || number !== plain) return number;
  const code = currency.toUpperCase();
  if (number.toUpperCase().startsWith(code)) return number.slice(code.length).trim();
  return number.toUpperCase().endsWith(code) ? number.slice(0, -code.length).trim() : number;
}
