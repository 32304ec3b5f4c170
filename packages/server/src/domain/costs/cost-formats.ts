import type { CsvLine } from '@leadtrail/contract/read-csv';

/** Formats of cost files: a plain one and the exports of ad platforms, recognised by their headers. */

export const COST_COLUMNS = [
  'date',
  'source',
  'medium',
  'campaign',
  'amount',
  'site',
  'currency',
  'clicks',
  'impressions',
] as const;
export type CostColumn = (typeof COST_COLUMNS)[number];

/** Columns that the user has assigned to fields. */
export type Mapping = Partial<Record<CostColumn, string>>;

export type CostFormat = {
  name: 'plain' | 'google_ads' | 'meta_ads' | 'microsoft_ads';
  /** Defaults for what the export does not contain. */
  source?: string;
  medium?: string;
  /** Headers of each field's column, in the languages of the exports. */
  names: Partial<Record<CostColumn, readonly string[]>>;
  /** A file is of this format when it has all of these fields. */
  known: readonly CostColumn[];
};

const CLICKS = ['clicks', 'klicks', 'link clicks', 'link-klicks', 'clicks (all)'];
const IMPRESSIONS = ['impressions', 'impr.', 'impr', 'impressionen'];

/** The first match wins. */
const FORMATS: readonly CostFormat[] = [
  {
    name: 'meta_ads',
    source: 'facebook',
    medium: 'paid_social',
    names: {
      date: ['day', 'tag', 'reporting starts', 'beginn des berichtszeitraums'],
      campaign: ['campaign name', 'name der kampagne', 'kampagnenname'],
      amount: ['amount spent', 'ausgegebener betrag'],
      currency: ['currency', 'account currency', 'währung'],
      clicks: CLICKS,
      impressions: IMPRESSIONS,
    },
    known: ['date', 'campaign', 'amount'],
  },
  {
    name: 'microsoft_ads',
    source: 'bing',
    medium: 'cpc',
    names: {
      date: ['time period', 'gregorian date', 'date'],
      campaign: ['campaign name', 'campaign'],
      amount: ['spend'],
      currency: ['currency code', 'currencycode', 'currency'],
      clicks: CLICKS,
      impressions: IMPRESSIONS,
    },
    known: ['date', 'campaign', 'amount'],
  },
  {
    name: 'google_ads',
    source: 'google',
    medium: 'cpc',
    names: {
      date: ['day', 'tag', 'date'],
      campaign: ['campaign', 'kampagne'],
      amount: ['cost', 'kosten'],
      currency: ['currency code', 'currency', 'währungscode', 'währung'],
      clicks: CLICKS,
      impressions: IMPRESSIONS,
    },
    known: ['date', 'campaign', 'amount'],
  },
];

/** Headers of the first and last day of a line. Without a breakdown by day a line covers the whole report. */
const PERIODS: readonly (readonly string[])[] = [
  ['reporting starts', 'reporting ends'],
  ['beginn des berichtszeitraums', 'ende des berichtszeitraums'],
];

const PLAIN: CostFormat = {
  name: 'plain',
  names: Object.fromEntries(COST_COLUMNS.map((name) => [name, [name]])),
  known: ['date', 'amount'],
};
/** Exports have a title and the date range above the header. */
export const TITLE_LINES_MAX = 12;

export type FoundFormat = { format: CostFormat; header: string[]; headerLine: number };

/** `lines`: the first of the file. A string: why none of them is a header. */
export function readFormat(lines: readonly CsvLine[], mapping: Mapping): FoundFormat | string {
  const formats = [PLAIN, ...FORMATS];
  for (const [headerLine, { cells }] of lines.entries()) {
    const header = cells.map((cell) => cell.trim());
    const format = formats.find(({ known, names }) =>
      known.every((field) => indexOf(header, names[field] ?? [], mapping[field]) !== -1),
    );
    if (format !== undefined) return { format, header, headerLine };
  }
  return `no line of it has the columns ${PLAIN.known.join(' and ')}`;
}

/** The column index of each field that the file has. */
export type Columns = Partial<Record<CostColumn, number>>;

export function columnsOf(
  { names }: CostFormat,
  header: readonly string[],
  mapping: Mapping,
): Columns | string {
  const columns: Columns = {};
  for (const field of COST_COLUMNS) {
    const index = indexOf(header, names[field] ?? [field], mapping[field]);
    if (index !== -1) columns[field] = index;
    else if (mapping[field] !== undefined) return `there is no column ${mapping[field]} for ${field}`;
  }
  return columns;
}

/** Where the date is read from one end of a period: the column of the other end. */
export function otherEndOf(header: readonly string[], { date = -1 }: Columns): number | undefined {
  const names = header.map((cell) => cell.toLowerCase());
  const read = names[date] ?? '';
  const period = PERIODS.find((each) => each.includes(read)) ?? [];
  const index = names.findIndex((name) => name !== read && period.includes(name));
  return index === -1 ? undefined : index;
}

/** Ignores case and a currency suffix: `Amount spent (EUR)`. */
function indexOf(header: readonly string[], names: readonly string[], named: string | undefined): number {
  const wanted = named === undefined ? names : [named.trim().toLowerCase()];
  const bare = header.map((cell) => cell.toLowerCase());
  for (const name of wanted) {
    const index = bare.findIndex((cell) => cell === name || cell.replace(/ \([a-z]{3}\)$/, '') === name);
    if (index !== -1) return index;
  }
  return -1;
}
