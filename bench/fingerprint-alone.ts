import { fingerprint } from '../packages/tracker/src/tracker/fingerprint.ts';

/** What the tracker is measured against: the same fingerprint, and nothing else. */
void fingerprint();
