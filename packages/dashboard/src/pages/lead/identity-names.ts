import type { LeadIdentity } from './data.ts';

export const IDENTITY_NAMES: Readonly<Record<LeadIdentity['kind'], string>> = {
  email: 'e-mail address',
  phone: 'phone number',
  visitor: 'visitor ID',
};
