/** How far a visit got with a form. Abandoned: begun and not sent. */
export const FORM_PROGRESS = ['none', 'seen', 'abandoned', 'sent'] as const;
export type FormProgress = (typeof FORM_PROGRESS)[number];
