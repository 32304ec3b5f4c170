/** What a field of a form can be understood as. */
export const FIELD_MEANINGS = [
  'FIRSTNAME',
  'LASTNAME',
  'EMAIL',
  'PHONE',
  'COUNTRYCODE',
  'USER_MESSAGE',
  'PROJECT',
  'LOCATION',
  'SOURCE',
  'TEAM',
  'KEYWORD',
  'custom',
] as const;
export type FieldMeaning = (typeof FIELD_MEANINGS)[number];
