/** A flow that is loaded lazily, with its first call: what it imports is heavy. */
export function whenNeeded<A extends unknown[], R>(
  load: () => Promise<(...args: A) => Promise<R>>,
): (...args: A) => Promise<R> {
  let flow = async (...args: A): Promise<R> => {
    flow = await load();
    return flow(...args);
  };
  return (...args) => flow(...args);
}
