import { forgetKey } from '../api/key.ts';
import { forgetNoteDrafts } from './note-drafts.ts';

/** Leaves nothing for the next person in this tab. A key that was only refused keeps what was begun with it. */
export function signOut(): void {
  forgetNoteDrafts();
  forgetKey();
}
