/** A flow imported with its first call, because its dependencies are heavy. */
export function whenNeeded<A extends unknown[], R>(
  load: () => Promise<(...args: A) => Promise<R>>,
): (...args: A) => Promise<R> {
  let flow = async (...args: A): Promise<R> => {
    flow = await load();
    return flow(...args);
  };
  return (...args) => flow(...args);
}
