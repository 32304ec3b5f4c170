import { fingerprint } from '../packages/tracker/src/tracker/fingerprint.ts';

/** The baseline of the tracker: the same fingerprint and nothing else. */
void fingerprint();
