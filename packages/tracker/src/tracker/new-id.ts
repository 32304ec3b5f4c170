/** A UUID of version 7. Pages that are not encrypted have no `crypto.randomUUID`, and no browser makes these. */
export function newId(): string {
  // Eleven digits, until the year 2527.
  const time = `0${Date.now().toString(16)}`;
  const random = crypto.getRandomValues(new Uint8Array(18));
  let next = 0;
  return `${time.slice(0, 8)}-${time.slice(8)}-7xxx-8xxx-xxxxxxxxxxxx`.replace(/x/g, () =>
    ((random[next++] as number) & 15).toString(16),
  );
}
