import { DAY_MS, dayStart, MINUTE_MS, SECOND_MS, utcDay } from '../../lib/utc-time.ts';

/** In milliseconds; `until` is exclusive. */
export type Period = { from: number; until: number };

/** The last day with a year of four digits. */
const OPEN_END = dayStart('9999-12-31');

/** Days are UTC. Both ends of a range are inclusive; a missing one is open. */
export function submissionPeriod(
  asked: {
    period: 'today' | 'yesterday' | 'range';
    date_from?: string | undefined;
    date_to?: string | undefined;
  },
  now: number,
): Period {
  const today = dayStart(utcDay(now));
  if (asked.period === 'today') return { from: today, until: today + DAY_MS };
  if (asked.period === 'yesterday') return { from: today - DAY_MS, until: today };
  return {
    from: asked.date_from === undefined ? 0 : startOf(asked.date_from),
    until: asked.date_to === undefined ? OPEN_END : endOf(asked.date_to),
  };
}

/** The first millisecond of a day or moment. */
export function startOf(moment: string): number {
  return clamped(spanOf(moment).from);
}

/** The first millisecond after it. */
export function endOf(moment: string): number {
  return clamped(spanOf(moment).until);
}

/** The bounds of a list; `until` is exclusive. */
export function boundsOf({ from, to }: { from?: string | undefined; to?: string | undefined }) {
  return {
    from: from === undefined ? undefined : startOf(from),
    until: to === undefined ? undefined : endOf(to),
  };
}

function clamped(millis: number): number {
  return Math.min(Math.max(millis, 0), OPEN_END);
}

/** A date is the whole day, a time the whole minute or second as far as it is given. Without a zone it is UTC. */
function spanOf(text: string): Period {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return { from: dayStart(text), until: dayStart(text) + DAY_MS };
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text);
  const from = Date.parse(hasZone ? text : `${text}Z`);
  const hasSeconds = /\d\d:\d\d:\d\d/.test(text);
  const grain = text.includes('.') ? 1 : hasSeconds ? SECOND_MS : MINUTE_MS;
  return { from, until: from + grain };
}
