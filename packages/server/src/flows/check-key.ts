import { keyHash } from '../domain/setup/integration-key.ts';
import { withTimeout } from '../lib/timeout.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { Store } from '../store/store.ts';
import type { KnownSenders } from './known-senders.ts';

/**
 * What is known of a key before its form is read. Open: the store is away, or the client is blocked and must
 * not learn that its key is wrong.
 */
export type KeyStanding = 'right' | 'wrong' | 'open';
export type CheckKey = (key: string, ip: string) => Promise<KeyStanding>;

const PATIENCE_MS = SECOND_MS;

/** Asks the store only about unknown keys: another process may have created one just now. */
export function makeCheckKey(parts: { store: Store; senders: KnownSenders; leadLog: Inbox }): CheckKey {
  const { store, senders, leadLog } = parts;

  async function ask(hash: string, ip: string): Promise<KeyStanding> {
    const { isRight, isBlocked } = await store.keySender({ keyHash: hash, ip });
    if (isRight) return 'right';
    return isBlocked ? 'open' : 'wrong';
  }

  return async (key, ip) => {
    const hash = keyHash(key);
    if (senders.isKey(hash)) return 'right';
    // Leads are being logged, without asking the store first.
    if (leadLog.backlog().records > 0) return 'open';
    const asked = ask(hash, ip).catch((): KeyStanding => 'open');
    return withTimeout(asked, PATIENCE_MS, () => 'open');
  };
}
