import { forgetKey } from '../api/key.ts';
import { forgetNoteDrafts } from './note-drafts.ts';

/**
 * Leaves nothing for the next person in this tab; module state is reset with the key (`viewerState`). Note drafts survive
 * a refused key, but not signing out.
 */
export function signOut(): void {
  forgetNoteDrafts();
  forgetKey();
}
