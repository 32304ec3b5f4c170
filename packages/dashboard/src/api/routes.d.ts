declare module 'leadtrail:routes' {
  import type { CallableName } from '@leadtrail/contract/client';

  /** Generated from the contract at build time. */
  export const routes: Readonly<Record<CallableName, { method: string; path: string; isText: boolean }>>;
}
