/** Shorter than the first pause after which a kept form is sent. */
const ANSWER_MS_MAX = 5_000;

/**
 * Whether the service cannot be reached at all. What stops a `fetch` lets this script through: it has come the same way.
 * By an address of its own, so that no cache answers for the service.
 */
export function isAway(): Promise<boolean> {
  const isThere = import(`${import.meta.url}?${Date.now()}`);
  return Promise.race([
    isThere.then(
      () => false,
      () => true,
    ),
    new Promise<boolean>((resolve) => setTimeout(resolve, ANSWER_MS_MAX, true)),
  ]);
}
