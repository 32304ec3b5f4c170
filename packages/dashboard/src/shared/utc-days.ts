/** Rejected and testing leads are filtered by UTC days. */

const DAY_MS = 24 * 60 * 60 * 1000;

export function dayHint(): string {
  const midnight = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);
  if (midnight.getTimezoneOffset() === 0) return 'Days are in UTC.';
  const time = midnight.toLocaleTimeString(navigator.languages as string[], {
    hour: '2-digit',
    minute: '2-digit',
  });
  return `Days are in UTC and start at ${time} your time.`;
}
