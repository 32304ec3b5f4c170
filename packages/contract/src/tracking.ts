import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, Count, httpUrl, Id, UnixMillis } from './fields.ts';
import {
  EVENT_BATCH_BYTES_MAX,
  EVENT_TYPE_CHARS_MAX,
  EVENTS_PER_BATCH_MAX,
  SESSION_START_BYTES_MAX,
} from './limits.ts';

const DeviceInfo = z.object({
  user_agent: z.string().optional(),
  language: z.string().optional(),
  platform: z.string().optional(),
  hardware_concurrency: z.number().optional(),
  // Browsers report fractions of a gigabyte on small devices.
  device_memory: z.number().optional(),
  timezone: z.string().optional().describe('IANA time zone of the browser'),
});

const Screen = z.object({
  width: z.number().optional(),
  height: z.number().optional(),
  color_depth: z.number().optional(),
  pixel_ratio: z.number().optional(),
});

export const SessionStart = z.object({
  fingerprint_id: Id.describe('browser fingerprint hash'),
  page: httpUrl().describe('URL of the current page'),
  visitor_id: z
    .string()
    .max(Id.maxLength ?? 0)
    .nullish()
    .describe('visitor id the browser already holds; derived from the fingerprint when omitted'),
  session_id: z
    .uuid()
    .nullish()
    .describe('made by the tracker, so that a start that is sent again counts once; made here when omitted'),
  referrer: z.string().nullish(),
  device_info: DeviceInfo.nullish(),
  screen: Screen.nullish(),
});
export type SessionStart = z.output<typeof SessionStart>;

export const SessionStarted = z.object({
  session_id: z.uuid(),
  visitor_id: z.string(),
  device_id: z.string(),
  timestamp: UnixMillis,
});
export type SessionStarted = z.output<typeof SessionStarted>;

export const TrackingEvent = z
  .object({
    type: z
      .string()
      .min(1)
      .max(EVENT_TYPE_CHARS_MAX)
      .describe(
        'free text; known: page_view, click, scroll (data.depth 0–100), engaged (data.ms), form_view, form_start, form_submit, cta_click',
      ),
    page: z.string().nullish(),
    timestamp: UnixMillis.nullish().describe('Unix milliseconds; now when omitted'),
    event_id: Id.nullish().describe('counts once within a session however often it is sent'),
    data: z.record(z.string(), z.unknown()).nullish(),
  })
  .meta({ id: 'TrackingEvent' });
export type TrackingEvent = z.output<typeof TrackingEvent>;

const trackingErrors = { 400: ApiError, 413: ApiError, 429: ApiError, 500: ApiError, 503: ApiError };

export const startSession = endpoint({
  method: 'POST',
  path: '/track/session/start',
  group: 'Tracking',
  summary: 'Start a tracking session',
  auth: 'public',
  cache: 'no-store',
  origins: 'any',
  body: SessionStart,
  bodyBytesMax: SESSION_START_BYTES_MAX,
  responses: { 200: SessionStarted, ...trackingErrors },
});

export const trackEvents = endpoint({
  method: 'POST',
  path: '/track/events',
  group: 'Tracking',
  summary: 'Send what happened in a session',
  auth: 'public',
  cache: 'no-store',
  origins: 'any',
  body: z.object({
    session_id: z.uuid(),
    // One bad event does not cost the others, so each is checked by itself.
    events: z
      .array(z.unknown())
      .min(1)
      .max(EVENTS_PER_BATCH_MAX)
      .meta({ items: { $ref: '#/components/schemas/TrackingEvent' } }),
  }),
  bodyBytesMax: EVENT_BATCH_BYTES_MAX,
  responses: {
    202: z.object({
      accepted: Count,
      rejected: z.array(z.object({ index: Count, error: z.string() })),
    }),
    ...trackingErrors,
  },
});

export const endSession = endpoint({
  method: 'POST',
  path: '/track/session/end',
  group: 'Tracking',
  summary: 'End a session; repeating it changes nothing',
  auth: 'public',
  cache: 'no-store',
  origins: 'any',
  body: z.object({ session_id: z.uuid(), exit_page: z.string().nullish() }),
  bodyBytesMax: SESSION_START_BYTES_MAX,
  responses: { 202: z.object({ ended: z.literal(true) }), ...trackingErrors },
});
