import { hash } from 'node:crypto';
import type { AdPlatform, ConversionGoal } from '@leadtrail/contract/conversions';
import { type Cell, csvLine } from '../../lib/csv.ts';
import { dateTime } from '../../lib/utc-time.ts';

/**
 * Offline conversion files as ad platforms import them. docs/OPERATIONS.md names the specification of each.
 */

/** An ad click that became a lead, or a stage that the lead reached. */
export type Conversion = {
  leadPublicId: string;
  at: number;
  clickId: string;
  clickedAt: number;
  /** In lower case; null: none. */
  email: string | null;
  /** E.164; null: none that can be dialled from anywhere. */
  phone: string | null;
  value: number | null;
};

export type ConversionFile = { head: string; line: (conversion: Conversion) => string };

type Format = {
  /** Lines above the header. */
  preamble: string;
  columns: Readonly<Record<string, (conversion: Conversion, name: string, currency: string) => Cell>>;
  names: Readonly<Record<ConversionGoal, string>>;
};

const NAMES = { lead: 'Lead', qualified: 'Qualified lead', won: 'Won' } as const;
const amountOf = ({ value }: Conversion): Cell => value;
const currencyOf = ({ value }: Conversion, _name: string, currency: string): Cell =>
  value === null ? null : currency;

const FORMATS: Readonly<Record<AdPlatform, Format>> = {
  google: {
    preamble: '',
    columns: {
      'Google Click ID': ({ clickId }) => clickId,
      'Conversion Name': (_, name) => name,
      'Conversion Time': ({ at }) => `${isoSecond(at)}+00:00`,
      'Conversion Value': amountOf,
      'Conversion Currency': currencyOf,
      'Order ID': ({ leadPublicId }) => leadPublicId,
      Email: ({ email }) => hashed(email === null ? null : withoutGmailDots(email)),
      'Phone Number': ({ phone }) => hashed(phone),
    },
    names: NAMES,
  },
  microsoft: {
    preamble: 'Parameters:TimeZone=+0000\r\n',
    columns: {
      'Microsoft Click ID': ({ clickId }) => clickId,
      'Conversion Name': (_, name) => name,
      'Conversion Time': ({ at }) => dateTime(at),
      'Conversion Value': amountOf,
      'Conversion Currency': currencyOf,
      'Hashed Email Address': ({ email }) => hashed(email),
      'Hashed Phone Number': ({ phone }) => hashed(phone),
    },
    names: NAMES,
  },
  meta: {
    preamble: '',
    columns: {
      event_name: (_, name) => name,
      event_time: ({ at }) => `${isoSecond(at)}+00:00`,
      value: amountOf,
      currency: currencyOf,
      order_id: ({ leadPublicId }) => leadPublicId,
      // The click id as Meta's own cookie has it: version, subdomain index, time of the click.
      fbc: ({ clickId, clickedAt }) => `fb.1.${clickedAt}.${clickId}`,
      email: ({ email }) => hashed(email),
      // Digits only, unlike the others.
      phone: ({ phone }) => hashed(phone?.replace('+', '') ?? null),
    },
    // `Lead` and `Purchase` are standard events of Meta.
    names: { ...NAMES, won: 'Purchase' },
  },
};

export function conversionFile(
  platform: AdPlatform,
  goal: ConversionGoal,
  { name, currency }: { name: string | undefined; currency: string },
): ConversionFile {
  const { preamble, columns, names } = FORMATS[platform];
  const cells = Object.values(columns);
  const called = name ?? names[goal];
  return {
    head: preamble + csvLine(Object.keys(columns)),
    line: (conversion) => csvLine(cells.map((cell) => cell(conversion, called, currency))),
  };
}

function hashed(text: string | null): Cell {
  return text === null ? null : hash('sha256', text, 'hex');
}

function isoSecond(millis: number): string {
  return dateTime(millis).replace(' ', 'T');
}

/** Gmail ignores dots in the local part, and Google wants them removed before hashing. */
function withoutGmailDots(email: string): string {
  const [name = '', domain = ''] = email.split('@');
  return domain === 'gmail.com' || domain === 'googlemail.com'
    ? `${name.replaceAll('.', '')}@${domain}`
    : email;
}
