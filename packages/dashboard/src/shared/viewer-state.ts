import { onKeyChange } from '../api/key.ts';

/** What a module remembers for whoever is signed in. It begins anew when they sign out or their key is refused. */
export function viewerState<T>(initial: () => T): { now: T } {
  const state = { now: initial() };
  onKeyChange(() => {
    state.now = initial();
  });
  return state;
}
