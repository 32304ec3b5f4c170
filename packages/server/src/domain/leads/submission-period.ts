import { DAY_MS, dayStart, MINUTE_MS, SECOND_MS, utcDay } from '../../lib/utc-time.ts';

/** From the first of these milliseconds up to, but not including, the last. */
export type Period = { from: number; until: number };

/** Later than anything that happens, and still a day with a year of four digits. */
const OPEN_END = dayStart('9999-12-31');

/** Today and yesterday are UTC days. Both ends of a range count; one that is missing is open. */
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
    from: asked.date_from === undefined ? 0 : counted(spanOf(asked.date_from).from),
    until: asked.date_to === undefined ? OPEN_END : counted(spanOf(asked.date_to).until),
  };
}

/** No day before or after has a number of submissions. */
function counted(millis: number): number {
  return Math.min(Math.max(millis, 0), OPEN_END);
}

/** All that a written date means: the whole day, or the whole minute or second where it says no more. Without a zone it is UTC. */
function spanOf(text: string): Period {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return { from: dayStart(text), until: dayStart(text) + DAY_MS };
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text);
  const from = Date.parse(hasZone ? text : `${text}Z`);
  const hasSeconds = /\d\d:\d\d:\d\d/.test(text);
  const grain = text.includes('.') ? 1 : hasSeconds ? SECOND_MS : MINUTE_MS;
  return { from, until: from + grain };
}
