import { forgetKey } from '../api/key.ts';
import { forgetNoteDrafts } from './note-drafts.ts';

/**
 * Leaves nothing for the next person in this tab: what modules remember goes with the key (`viewerState`). A key that was
 * only refused keeps the notes that were begun with it.
 */
export function signOut(): void {
  forgetNoteDrafts();
  forgetKey();
}
