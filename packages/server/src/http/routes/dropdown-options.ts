import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { kept } from '../kept.ts';
import { deletionOf, type RecordKind, recordOf } from '../managed-record.ts';

type OptionName =
  | 'dropdownOptions'
  | 'createDropdownOption'
  | 'dropdownOption'
  | 'updateDropdownOption'
  | 'deleteDropdownOption';

const OPTION: RecordKind = { name: 'dropdown option', uniqueField: 'kind and value' };

export function dropdownOptionRoutes({ store }: { store: Store }): Pick<Handlers, OptionName> {
  return {
    dropdownOptions: kept({ from: ['dropdownOptions'] }, ({ query }) => store.dropdownOptions(query)),
    createDropdownOption: async ({ body }) => {
      const option = { ...body, label: body.label ?? body.value, sort_order: body.sort_order ?? 0 };
      return recordOf(await store.createDropdownOption(option), OPTION);
    },
    dropdownOption: kept({ from: ['dropdownOption'] }, async ({ params }) =>
      recordOf(await store.dropdownOption(params), OPTION),
    ),
    updateDropdownOption: async ({ params, body }) =>
      recordOf(await store.updateDropdownOption({ ...params, changes: body }), OPTION),
    deleteDropdownOption: async ({ params }) => deletionOf(await store.deleteDropdownOption(params), OPTION),
  };
}
