const LENGTH = 36;

let last = 0;

/**
 * A UUID of version 7. Pages that are not encrypted have no `crypto.randomUUID`, and no browser makes these. They stand
 * in the order in which a page makes them: whatever comes within the same millisecond counts as later.
 */
export function newId(): string {
  last = Math.max(last + 1, Date.now());
  // Eleven digits, until the year 2527.
  const time = `0${last.toString(16)}`;
  const random = crypto.getRandomValues(new Uint8Array(LENGTH));
  return `${time.slice(0, 8)}-${time.slice(8)}-7xxx-8xxx-xxxxxxxxxxxx`.replace(/x/g, (_, at) =>
    ((random[at] as number) & 15).toString(16),
  );
}
