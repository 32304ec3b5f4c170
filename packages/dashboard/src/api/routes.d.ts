declare module 'leadtrail:routes' {
  import type { Routes } from '@leadtrail/contract/client';

  /** Made from the contract when the dashboard is built. */
  export const routes: Routes;
}
