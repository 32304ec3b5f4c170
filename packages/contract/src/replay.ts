import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, Count, Id, paging, QueryFlag, QueryMoment, SiteKeys, UnixMillis } from './fields.ts';
import { FORM_PROGRESS } from './form-progress.ts';
import { LIST_DEFAULT, LIST_MAX, REPLAY_CHUNK_BYTES_MAX } from './limits.ts';
import { VisitorLead } from './visitor-lead.ts';

const PAGE_CHARS_MAX = 512;

/** Stored in lower case. */
const SessionId = z.uuid().transform((id) => id.toLowerCase());

/** An event of rrweb; its `data` is not validated. */
const ReplayEvent = z.looseObject({ type: z.number(), timestamp: z.number() }).meta({ id: 'ReplayEvent' });

export const ReplayEnvelope = z.object({
  session_id: SessionId,
  sequence: Count.describe('number of the chunk; a retry counts once'),
});

export const storeReplay = endpoint({
  method: 'POST',
  path: '/track/replay',
  group: 'Tracking',
  summary:
    'Store a chunk of the recording of a known session, optionally gzipped; 403 while recording is off',
  auth: 'public',
  cache: 'no-store',
  origins: 'any',
  packed: true,
  body: ReplayEnvelope.extend({ events: z.array(ReplayEvent).min(1) }),
  bodyBytesMax: REPLAY_CHUNK_BYTES_MAX,
  responses: {
    202: z.object({ stored: z.literal(true) }),
    400: ApiError,
    403: ApiError,
    404: ApiError,
    410: ApiError,
    413: ApiError,
    429: ApiError,
    500: ApiError,
    503: ApiError,
  },
});

const Replay = z.object({
  session_id: z.uuid(),
  started_at: UnixMillis,
  ended_at: UnixMillis,
  event_count: Count,
});

/** null: the session itself is not known yet. */
const ReplayItem = Replay.extend({
  duration_ms: Count,
  visitor_id: z.string().nullable(),
  entry_page: z.string().nullable(),
  country: z.string().nullable(),
  site_key: z.string().nullable().describe('empty: of no site'),
  page_views: Count.nullable(),
  form: z.enum(FORM_PROGRESS).nullable(),
  lead: VisitorLead.nullable().describe('the latest lead of the visitor'),
});
export type ReplayItem = z.output<typeof ReplayItem>;

const replayErrors = { 400: ApiError, 401: ApiError, 500: ApiError, 503: ApiError };

export const replaySessions = endpoint({
  method: 'GET',
  path: '/replay/sessions',
  group: 'Replays',
  summary: 'Recorded sessions, newest first',
  auth: 'marketing',
  cache: 'no-store',
  query: z.object({
    visitor_id: Id.optional(),
    session_id: SessionId.optional(),
    site: SiteKeys.optional(),
    page: z.string().max(PAGE_CHARS_MAX).optional().describe('part of the address of a page that was seen'),
    form: z.enum(FORM_PROGRESS).optional().describe('how far the visit got with a form'),
    lead: QueryFlag.optional().describe('whether the visitor has a lead'),
    from: QueryMoment.optional().describe('started at or after this date (UTC) or time'),
    to: QueryMoment.optional().describe('started at or before; a date means the whole day'),
    ...paging({ default: LIST_DEFAULT, max: LIST_MAX }),
  }),
  responses: { 200: z.object({ sessions: z.array(ReplayItem), total: Count }), ...replayErrors },
});

export const replay = endpoint({
  method: 'GET',
  path: '/replay/:session_id',
  group: 'Replays',
  summary: 'The recording of a session with all events in order',
  auth: 'marketing',
  cache: 'no-store',
  params: z.object({ session_id: SessionId }),
  streams: ['application/json'],
  responses: { 200: Replay.extend({ events: z.array(ReplayEvent) }), 404: ApiError, ...replayErrors },
});
