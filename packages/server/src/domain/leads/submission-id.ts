import { hash } from 'node:crypto';
import { DAY_MS } from '../../lib/utc-time.ts';
import type { Enquiry } from './enquiry.ts';

/** The time in milliseconds and a UUID, as the form script makes it. */
const SENT = /^([0-9a-f]{11})-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The form script retries for a day; clocks may differ. */
const AGE_MS_MAX = 2 * DAY_MS;

/**
 * The public id of a submission, derived from the form script's id so that a retry gets the same one; null:
 * no usable id was sent. Hashed with site and form, so that a sender cannot choose the id of another
 * submission. A UUIDv7, which keeps inserts local in the index.
 */
export function repeatableId({ form, keyHash, at }: Enquiry): string | null {
  const sent = form.submissionId;
  const time = SENT.exec(sent)?.[1];
  if (keyHash !== null || time === undefined) return null;
  if (Math.abs(at - Number.parseInt(time, 16)) > AGE_MS_MAX) return null;
  const random = hash('sha256', `${form.siteKey}\n${form.formId}\n${sent}`);
  return `0${time.slice(0, 7)}-${time.slice(7)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6, 18)}`;
}
