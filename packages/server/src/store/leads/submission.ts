import type { Selectable } from 'kysely';
import type { Enquiry } from '../../domain/leads/enquiry.ts';
import type { LeadRow } from '../schema.ts';
import type { HeldIdentity } from './look-up.ts';

/** A lead on its way into the store, step by step. */

/** An enquiry, with what the service adds to it. */
export type Capture = {
  enquiry: Enquiry;
  leadPublicId: string;
  submissionPublicId: string;
  /** Null: new leads are not forwarded. */
  sendPublicId: string | null;
  duplicateWindowMinutes: number;
  environment: string;
  botLeadDetection: boolean;
  isTrustedProxy: boolean;
};

export type NewLead = Omit<Selectable<LeadRow>, 'lead_id'>;

/** An accepted enquiry, ready to be stored. */
export type Submission = {
  capture: Capture;
  lead: NewLead;
  /** Those of its identities that leads of the project hold already. */
  held: readonly HeldIdentity[];
  /** Its address goes on the block list. */
  isBlocked: boolean;
};
