import { randomUUIDv7 } from 'node:crypto';
import type { Enquiry } from '../../server/src/domain/leads/enquiry.ts';
import type { Capture } from '../../server/src/store/leads/submission.ts';

/** An enquiry as it goes straight into the store, past HTTP, with the usual settings. */
export function captureOf(enquiry: Enquiry, given: Partial<Capture> = {}): Capture {
  return {
    enquiry,
    leadPublicId: randomUUIDv7(),
    submissionPublicId: randomUUIDv7(),
    sendPublicId: null,
    duplicateWindowMinutes: 60,
    sendFollowUps: 'new_details',
    sendRiskMax: null,
    environment: 'test',
    attributionDays: 90,
    portalDomains: [],
    botLeadDetection: false,
    isTrustedProxy: false,
    ...given,
  };
}
