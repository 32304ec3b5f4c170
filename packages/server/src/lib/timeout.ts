/**
 * Settles like the promise, or once the time is up with what `onTimeout` returns; an error rejects. Does not
 * cancel the promise.
 */
export function withTimeout<T>(promise: Promise<T>, ms: number, onTimeout: () => T | Error): Promise<T> {
  if (ms === Number.POSITIVE_INFINITY) return promise;
  return new Promise((resolve, reject) => {
    const cancel = startTimeout(ms, () => {
      const result = onTimeout();
      if (result instanceof Error) reject(result);
      else resolve(result);
    });
    promise.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error) => {
        cancel();
        reject(error);
      },
    );
  });
}

/**
 * Returns a function that cancels it. Timers run before I/O: if the event loop was blocked, an answer that
 * arrived in time may still be unread, so pending I/O is handled first.
 */
export function startTimeout(ms: number, onTimeout: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    immediate = setImmediate(onTimeout);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
