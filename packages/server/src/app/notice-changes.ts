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

/** Those of what a form does with its next lead, which holds at once. */
export const FORM_CHANGES = ['createForm', 'updateForm'] as const satisfies readonly (keyof Store)[];

/** The store, with a word after each of these operations. Where that is a promise, the operation ends with it. */
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
