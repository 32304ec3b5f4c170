import { z } from 'zod';
import { ApiError, paging, RecordNumber } from './fields.ts';
import { LIST_DEFAULT, LIST_MAX, MANAGEMENT_BYTES_MAX } from './limits.ts';

/** Shared by the endpoints that manage sites, forms and integrations. */

const NAME_CHARS_MAX = 256;

export const Name = z.string().trim().min(1).max(NAME_CHARS_MAX);
export const Key = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must have 1 to 64 characters: letters, digits, hyphens or underscores');
export const idParams = z.object({ id: RecordNumber });
export const page = paging({ default: LIST_DEFAULT, max: LIST_MAX });

export const managing = { group: 'Management', auth: 'admin', cache: 'no-store' } as const;
export const writing = { ...managing, bodyBytesMax: MANAGEMENT_BYTES_MAX } as const;
export const errors = { 401: ApiError, 403: ApiError, 500: ApiError, 503: ApiError };
export const idErrors = { 400: ApiError, 404: ApiError, ...errors };
export const bodyErrors = { 400: ApiError, 409: ApiError, 413: ApiError, ...errors };
export const Deleted = z.object({ deleted: z.literal(true) });
