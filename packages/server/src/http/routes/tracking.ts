import type { EndSession } from '../../flows/end-session.ts';
import type { StartSession } from '../../flows/start-session.ts';
import type { TrackEvents } from '../../flows/track-events.ts';
import type { Handlers } from '../answer-endpoint.ts';

export function trackingRoutes(flows: {
  startSession: StartSession;
  trackEvents: TrackEvents;
  endSession: EndSession;
}): Pick<Handlers, 'startSession' | 'trackEvents' | 'endSession'> {
  return {
    startSession: ({ body, client, headers }) => flows.startSession(body, client, headers),
    trackEvents: ({ body }) => flows.trackEvents(body),
    endSession: ({ body }) => flows.endSession(body),
  };
}
