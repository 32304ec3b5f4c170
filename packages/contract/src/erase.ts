import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, Count, Id, QueryFlag } from './fields.ts';
import { MANAGEMENT_BYTES_MAX } from './limits.ts';

/** The longest address that mail servers accept. */
const EMAIL_CHARS_MAX = 254;
const PHONE_CHARS_MAX = 64;
/** Shorter numbers identify no one. */
const PHONE_DIGITS_MIN = 5;

const Email = z
  .string()
  .trim()
  .max(EMAIL_CHARS_MAX)
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address');
const Phone = z
  .string()
  .trim()
  .max(PHONE_CHARS_MAX)
  .refine(
    (text) => (text.match(/\p{Nd}/gu)?.length ?? 0) >= PHONE_DIGITS_MIN,
    `must have at least ${PHONE_DIGITS_MIN} digits`,
  );

/** Everyone who has any of these. */
export const PersonIdentifiers = z
  .strictObject({
    email: Email.nullish(),
    phone: Phone.nullish().describe('with its country code, unless it was submitted without one'),
    visitor_id: Id.nullish(),
    dry_run: z.boolean().optional().describe('only count what would be erased'),
  })
  .refine(
    ({ email, phone, visitor_id }) => (email ?? phone ?? visitor_id ?? null) !== null,
    'must hold an email, a phone or a visitor_id',
  );
export type PersonIdentifiers = z.output<typeof PersonIdentifiers>;

const counts = {
  leads: Count,
  submissions: Count,
  flow_sends: Count,
  crm_events: Count,
  set_aside_leads: Count.describe('rejected and testing leads'),
  sessions: Count,
  replays: Count.describe('recordings of sessions'),
  archived_sessions: Count.describe('removed from archives, uploaded or still queued'),
};

export const WouldErase = z.object({
  dry_run: z.literal(true),
  counts: z.object(counts),
  leads: z.array(
    z.object({
      lead_id: z.int(),
      contact_name: z.string(),
      because: z.string().describe('which of the given identifiers match it'),
    }),
  ),
});
export type WouldErase = z.output<typeof WouldErase>;

export const Erased = z.object({
  erased: z.literal(true),
  ...counts,
  scrubbed: z
    .boolean()
    .describe(
      'false: remnants on free database pages are overwritten at night, or when PostgreSQL reuses the pages',
    ),
});
export type Erased = z.output<typeof Erased>;

export const erasePerson = endpoint({
  method: 'POST',
  path: '/analytics/erase',
  group: 'Management',
  summary: 'Erase a person from every store, or count what that would erase',
  auth: 'admin',
  cache: 'no-store',
  query: z.object({ dry_run: QueryFlag.optional().describe('the same as in the body') }),
  body: PersonIdentifiers,
  bodyBytesMax: MANAGEMENT_BYTES_MAX,
  responses: {
    200: z.union([Erased, WouldErase]),
    400: ApiError,
    401: ApiError,
    403: ApiError,
    413: ApiError,
    500: ApiError,
    503: ApiError,
  },
});
