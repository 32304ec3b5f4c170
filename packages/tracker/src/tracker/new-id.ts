let last = 0;

/**
 * A UUID of version 7, which no browser makes. They stand in the order in which a page makes them: whatever comes within
 * the same millisecond counts as later.
 */
export function newId(): string {
  last = Math.max(last + 1, Date.now());
  // Eleven digits, until the year 2527.
  const time = `0${last.toString(16)}`;
  // Pages that are not encrypted have no such method; whoever listens there need not guess.
  const random =
    crypto.randomUUID?.() ??
    'xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, () => Math.floor(Math.random() * 16).toString(16));
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(-21)}`;
}
