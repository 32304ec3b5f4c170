import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, RecordNumber } from './fields.ts';
import { MANAGEMENT_BYTES_MAX } from './limits.ts';

export const OPTION_KINDS = ['source', 'country', 'project', 'city'] as const;
export type OptionKind = (typeof OPTION_KINDS)[number];

/** As long as the form fields that options stand for. */
const OPTION_CHARS_MAX = 256;

const Kind = z.enum(OPTION_KINDS);
const Text = z.string().trim().min(1).max(OPTION_CHARS_MAX);

export const DropdownOption = z
  .object({
    id: z.int(),
    kind: Kind,
    value: z.string(),
    label: z.string(),
    sort_order: z.int(),
  })
  .meta({ id: 'DropdownOption' });
export type DropdownOption = z.output<typeof DropdownOption>;

const Options = z.array(DropdownOption);

const idParams = z.object({ id: RecordNumber });
const managing = { group: 'Management', auth: 'admin', cache: 'no-store' } as const;
const writing = { ...managing, bodyBytesMax: MANAGEMENT_BYTES_MAX } as const;
const errors = { 400: ApiError, 401: ApiError, 403: ApiError, 500: ApiError, 503: ApiError };
const bodyErrors = { ...errors, 409: ApiError, 413: ApiError };

export const dropdownOptions = endpoint({
  ...managing,
  method: 'GET',
  path: '/analytics/dropdown-options',
  summary: 'Dropdown options by kind, each kind by sort_order, then by label',
  query: z.object({ kind: Kind.optional().describe('the lists of other kinds are empty') }),
  responses: {
    200: z.object({ source: Options, country: Options, project: Options, city: Options }),
    ...errors,
  },
});

export const createDropdownOption = endpoint({
  ...writing,
  method: 'POST',
  path: '/analytics/dropdown-options',
  summary: 'Create a dropdown option',
  body: z.object({
    kind: Kind,
    value: Text,
    label: Text.nullish().describe('defaults to the value'),
    sort_order: z.int().nullish(),
  }),
  responses: { 201: DropdownOption, ...bodyErrors },
});

export const dropdownOption = endpoint({
  ...managing,
  method: 'GET',
  path: '/analytics/dropdown-options/:id',
  summary: 'One dropdown option',
  params: idParams,
  responses: { 200: DropdownOption, ...errors, 404: ApiError },
});

export const updateDropdownOption = endpoint({
  ...writing,
  method: 'PATCH',
  path: '/analytics/dropdown-options/:id',
  summary: 'Change a dropdown option; omitted fields are kept',
  params: idParams,
  body: z.object({
    value: Text.optional(),
    label: Text.optional(),
    sort_order: z.int().optional(),
  }),
  responses: { 200: DropdownOption, ...bodyErrors, 404: ApiError },
});

export const deleteDropdownOption = endpoint({
  ...managing,
  method: 'DELETE',
  path: '/analytics/dropdown-options/:id',
  summary: 'Delete a dropdown option; leads keep its value',
  params: idParams,
  responses: { 200: z.object({ deleted: z.literal(true) }), ...errors, 404: ApiError },
});
