/** UTC days, written `YYYY-MM-DD`. */

const DAY_MS = 24 * 60 * 60 * 1000;

export function utcDay(time: number): string {
  return new Date(time).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** `count` days up to and including `last`, oldest first. */
export function daysUntil(last: string, count: number): string[] {
  const end = Date.parse(last);
  return Array.from({ length: count }, (_, index) => utcDay(end - (count - 1 - index) * DAY_MS));
}

/** Today, or the service's latest day where its clock is ahead of the viewer's. */
export function latestDay(known: readonly string[], now = Date.now()): string {
  return known.reduce((latest, day) => (day > latest ? day : latest), utcDay(now));
}
