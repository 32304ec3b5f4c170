import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { kept } from '../kept.ts';

export function nameRoutes({ store }: { store: Store }): Pick<Handlers, 'names'> {
  return { names: kept({ from: ['names'] }, () => store.names()) };
}
