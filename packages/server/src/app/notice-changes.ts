import type { Store } from '../store/store.ts';

export const IP_LIST_CHANGES = ['addIpRule', 'removeIpRule'] as const satisfies readonly (keyof Store)[];

/** The operations that change who may send leads. */
export const SENDER_CHANGES = [
  'createSite',
  'updateSite',
  'deleteSite',
  'createForm',
  'updateForm',
  'deleteForm',
  'createIntegration',
  'updateIntegration',
  'rekeyIntegration',
  'deleteIntegration',
  ...IP_LIST_CHANGES,
] as const satisfies readonly (keyof Store)[];

/** Operations that change what a form does with its next lead; callers wait until the change is in effect. */
export const FORM_CHANGES = ['createForm', 'updateForm'] as const satisfies readonly (keyof Store)[];

/**
 * The store, calling `onChange` after each of these operations. If
 * that returns a promise, the operation waits for it.
 */
export function noticing(
  store: Store,
  names: readonly (keyof Store)[],
  onChange: () => void | Promise<void>,
): Store {
  return new Proxy(store, {
    get(target, name) {
      const found = Reflect.get(target, name);
      if (!names.some((each) => each === name)) return found;
      return async (...args: unknown[]) => {
        const result = await found.apply(target, args);
        await onChange();
        return result;
      };
    },
  });
}
