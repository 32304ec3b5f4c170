import type { ErasePerson } from '../../flows/erase-person.ts';
import type { Handlers } from '../answer-endpoint.ts';

export function eraseRoutes({ erasePerson }: { erasePerson: ErasePerson }): Pick<Handlers, 'erasePerson'> {
  return { erasePerson: ({ body }) => erasePerson(body) };
}
