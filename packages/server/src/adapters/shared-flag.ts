/** Lets another thread read a condition: between `look` and `rest` it is refreshed every few milliseconds. */
export type FlagPlace = Int32Array<SharedArrayBuffer>;

const LOOK_MS = 50;

export function shareFlag(holds: () => boolean): { place: FlagPlace; look(): void; rest(): void } {
  const place = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let timer: NodeJS.Timeout | undefined;
  const write = () => void Atomics.store(place, 0, holds() ? 1 : 0);
  return {
    place,
    look() {
      write();
      timer ??= setInterval(write, LOOK_MS).unref();
    },
    rest() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}

export function isSet(place: FlagPlace): boolean {
  return Atomics.load(place, 0) === 1;
}
