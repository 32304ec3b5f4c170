declare module 'leadtrail:routes' {
  import type { CallableName } from '@leadtrail/contract/client';

  /** Made from the contract when the dashboard is built. */
  export const routes: Readonly<Record<CallableName, { method: string; path: string; isText: boolean }>>;
}
