import { onKeyChange } from '../api/key.ts';

/** Module state of the signed-in user. It is reset when they sign out or their key is refused. */
export function viewerState<T>(initial: () => T): { now: T } {
  const state = { now: initial() };
  onKeyChange(() => {
    state.now = initial();
  });
  return state;
}
