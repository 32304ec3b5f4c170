import type { ErasePerson } from '../../flows/erase-person.ts';
import type { Handlers } from '../answer-endpoint.ts';

export function eraseRoutes({ erasePerson }: { erasePerson: ErasePerson }): Pick<Handlers, 'erasePerson'> {
  return {
    erasePerson: ({ query, body }) => erasePerson({ ...body, dry_run: body.dry_run || query.dry_run }),
  };
}
