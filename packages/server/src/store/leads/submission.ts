import type { SentFollowUps } from '@leadtrail/contract/settings';
import type { Selectable } from 'kysely';
import type { Enquiry } from '../../domain/leads/enquiry.ts';
import type { LeadRow } from '../schema.ts';
import type { HeldIdentity } from './look-up.ts';

/** A lead on its way into the store, step by step. */

/** An enquiry, with what the service adds to it. */
export type Capture = {
  enquiry: Enquiry;
  /** When it was accepted, if it had been set aside. */
  acceptedAt?: number;
  leadPublicId: string;
  submissionPublicId: string;
  /** A browser may have sent it before, under the same id. Missing in leads that earlier versions have logged. */
  mayBeRepeated?: boolean;
  /** Null: nothing is forwarded. */
  sendPublicId: string | null;
  duplicateWindowMinutes: number;
  /** Which follow-ups are forwarded. */
  sendFollowUps: SentFollowUps;
  /** Above this risk nothing is forwarded. */
  sendRiskMax: number | null;
  environment: string;
  /** How visits before it are attributed to it. */
  attributionDays: number;
  portalDomains: readonly string[];
  botLeadDetection: boolean;
  /** Besides the usual ones. Missing in leads that earlier versions have logged. */
  disposableEmailDomains?: readonly string[];
  isTrustedProxy: boolean;
  /** After this it must not be stored, because its sender no longer waits. */
  deadline?: number;
  /** From the lead log, and so already answered: it is no longer refused, and may have been stored before. */
  isLogged?: true;
};

export type NewLead = Omit<Selectable<LeadRow>, 'lead_id'>;

/** An accepted enquiry, ready to be stored. */
export type Submission = {
  capture: Capture;
  lead: NewLead;
  /** Those of its identities that leads of the project already hold. */
  held: readonly HeldIdentity[];
  /** The leads of this person in other projects. */
  elsewhere: readonly number[];
  /** The visitor who sent it, and the domains of the site that it was sent from, as far as they are known. */
  visitorNo: number | null;
  siteDomains: readonly string[];
  /** Its address goes on the block list. */
  isBlocked: boolean;
};

/**
 * What a submission is to its lead: the first, another one of the same person, or the first of a person after those
 * of bots.
 */
export type Relation = 'primary' | 'follow_up' | 'takeover';

/** The columns that are read of an existing lead. */
export const KNOWN_COLUMNS = [
  'lead_public_id',
  'status',
  'form_submit_count',
  'project_location',
  'contact_name',
  'contact_email',
  'contact_phone',
  'contact_country_code',
  'contact_ip',
  'visitor_id',
  'session_id',
  'project_source',
  'source_key',
  'referer',
  'message',
  'search_text',
  'suspicion_score',
  'suspicion_reasons',
  'is_bot_lead',
  'shown_submission_id',
  'created_at',
  'last_follow_up_at',
] as const;
export type KnownLead = Pick<Selectable<LeadRow>, (typeof KNOWN_COLUMNS)[number]> & { lead_id: number };

/** A bot that writes in a person's name says nothing about the person. */
export function isBotOfPerson(known: KnownLead | undefined, lead: NewLead): boolean {
  return known?.is_bot_lead === 0 && lead.is_bot_lead === 1;
}

export type AddedSubmission = { submissionId: number; isDuplicate: boolean };

/** Everything that is shown of a lead comes from the submission that is shown. */
export const SHOWN_COLUMNS = [
  'project_location',
  'project_source',
  'source_team',
  'contact_name',
  'contact_email',
  'contact_phone',
  'contact_country_code',
  'contact_country_name',
  'contact_city',
  'contact_region',
  'contact_region_code',
  'contact_timezone',
  'contact_ip',
  'user_agent',
  'referer',
  'keyword',
  'message',
  'campaign',
  'site_key',
  'form_id',
  'visitor_id',
  'session_id',
  'engagement_score',
  'engagement_label',
  'pages_visited',
  'session_duration_s',
  'return_visits',
  'vpn_suspected',
  'suspicion_score',
  'suspicion_reasons',
  'time_to_submit_ms',
  'is_bot_lead',
  'test_lead',
  'related_projects',
  'source_key',
  'campaign_key',
  'name_key',
  'search_text',
] as const satisfies readonly (keyof NewLead)[];
