import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError } from './fields.ts';
import { LeadNote } from './lead-records.ts';
import { LeadReference } from './leads.ts';
import { MANAGEMENT_BYTES_MAX, NOTE_CHARS_MAX, NOTES_MAX } from './limits.ts';

const writing = { group: 'Leads', auth: 'admin', cache: 'no-store' } as const;
const errors = { 400: ApiError, 401: ApiError, 403: ApiError, 404: ApiError, 500: ApiError, 503: ApiError };

export const writeNote = endpoint({
  ...writing,
  method: 'POST',
  path: '/analytics/leads/:id/notes',
  summary: 'Write a note about a lead',
  params: LeadReference,
  body: z.object({ text: z.string().trim().min(1).max(NOTE_CHARS_MAX) }),
  bodyBytesMax: MANAGEMENT_BYTES_MAX,
  responses: {
    201: LeadNote,
    ...errors,
    409: ApiError.describe(`the lead has ${NOTES_MAX} notes`),
    413: ApiError,
  },
});

export const deleteNote = endpoint({
  ...writing,
  method: 'DELETE',
  path: '/analytics/leads/:id/notes/:note_id',
  summary: 'Delete a note about a lead',
  params: LeadReference.extend({ note_id: z.string() }),
  responses: { 200: z.object({ deleted: z.literal(true) }), ...errors },
});
