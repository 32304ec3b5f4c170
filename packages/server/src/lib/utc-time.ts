export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** `YYYY-MM-DD`. Remembers the latest day, because nearly all calls are for the same. */
export function utcDay(millis: number): string {
  const number = Math.floor(millis / DAY_MS);
  if (number !== latestDay.number) {
    latestDay = { number, text: new Date(millis).toISOString().slice(0, 10) };
  }
  return latestDay.text;
}

let latestDay = { number: Number.NaN, text: '' };

export function dayStart(day: string): number {
  return Date.parse(`${day}T00:00:00.000Z`);
}

/** The format of API responses: `YYYY-MM-DD HH:MM:SS`, UTC. */
export function dateTime(millis: number): string {
  return new Date(millis).toISOString().slice(0, 19).replace('T', ' ');
}

/** With its zone, for programs. */
export function isoTime(millis: number): string {
  return new Date(millis).toISOString();
}

/** Whole minutes since 1970. */
export function minuteOf(millis: number): number {
  return Math.floor(millis / MINUTE_MS);
}
