let last = 0;

/** A UUID version 7, monotonic within the page even in the same millisecond. */
export function newId(): string {
  last = Math.max(last + 1, Date.now());
  // Eleven hex digits, until the year 2527.
  const time = `0${last.toString(16)}`;
  // Insecure contexts lack `randomUUID`. There the traffic is readable anyway, so weak randomness will do.
  const random =
    crypto.randomUUID?.() ??
    'xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, () => Math.random().toString(16).slice(2, 3));
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(-21)}`;
}
