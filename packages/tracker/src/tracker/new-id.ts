let made = 0;

/**
 * A UUID of version 7. Pages that are not encrypted have no `crypto.randomUUID`, and no browser makes these. Those that a
 * page makes in the same millisecond are in order.
 */
export function newId(): string {
  const order = 0x7000 + (made++ % 0x1000);
  const random = Array.from(crypto.getRandomValues(new Uint8Array(15)), (byte) => hex(byte % 16));
  // The time has eleven digits, until the year 2527.
  return `0${hex(Date.now()) + hex(order)}8${random.join('')}`.replace(
    /(.{8})(....)(....)(....)/,
    '$1-$2-$3-$4-',
  );
}

function hex(number: number): string {
  return number.toString(16);
}
