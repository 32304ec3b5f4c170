import * as service from './service.ts';
import * as statistics from './statistics.ts';
import * as tracking from './tracking.ts';

/** Every endpoint of the service, once. Routes, validation, OpenAPI and the client all come from here. */
export const endpoints = {
  startSession: tracking.startSession,
  trackEvents: tracking.trackEvents,
  endSession: tracking.endSession,

  overview: statistics.overview,
  sessionsDaily: statistics.sessionsDaily,
  topPages: statistics.topPages,
  geo: statistics.geo,
  engagement: statistics.engagement,
  sources: statistics.sources,
  realtime: statistics.realtime,
  storage: statistics.storage,
  whoami: statistics.whoami,

  health: service.health,
  readiness: service.readiness,
  metrics: service.metrics,
  openapi: service.openapi,
  docs: service.docs,
} as const;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
