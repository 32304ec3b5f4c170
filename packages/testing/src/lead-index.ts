import { before, describe } from 'node:test';
import type { Store } from '../../server/src/store/store.ts';
import { aClock, type Clock } from './clock.ts';
import { CAPTURE_ENV } from './enquiries.ts';
import { type StoreKind, type TestService, useService } from './service.ts';

/** The index of the lists on a leash: it follows only when a test says so. */
export type HeldIndex = {
  /** For `overrides.around.store`. */
  hold(store: Store): Store;
  /** Takes in so many changes, or all there are. */
  takeIn(max?: number): Promise<void>;
};

const LEADS_PER_STEP = 500;

export function aHeldIndex(): HeldIndex {
  let held: Store | undefined;
  return {
    hold(store) {
      held = store;
      return { ...store, indexLeads: async () => 0 };
    },
    async takeIn(max) {
      if (held === undefined) throw new Error('There is no service yet.');
      if (max !== undefined) await held.indexLeads({ max });
      else while ((await held.indexLeads({ max: LEADS_PER_STEP })) > 0);
    },
  };
}

export type HeldService = { service: TestService; index: HeldIndex; clock: Clock };

/** A service for all tests of the surrounding suite, in which neither time nor index goes on by itself. */
export function useHeldService(kind: StoreKind): HeldService {
  const clock = aClock();
  const index = aHeldIndex();
  const overrides = { now: clock.now, around: { store: index.hold } };
  return { service: useService(kind, { env: CAPTURE_ENV, overrides }), index, clock };
}

/** Declares the same tests before the index has taken in the leads, in the midst of it, and after. */
export function asIndexFollows(index: HeldIndex, some: number, declare: () => void): void {
  describe('the index has taken in nothing', declare);
  describe('the index has taken in some leads', () => {
    before(() => index.takeIn(some));
    declare();
  });
  describe('the index has taken in all', () => {
    before(() => index.takeIn());
    declare();
  });
}
