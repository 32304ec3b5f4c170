/** Shorter than the first pause after which a kept form is sent. */
const ANSWER_MS_MAX = 5_000;

/**
 * Whether the service is unreachable. Tested by importing this script again: blockers that stop a `fetch`
 * have already let it through. The query string bypasses caches.
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
