/** Pages whose views can be saved. Separate from the schemas, so that they can be imported without zod. */
export const SAVED_VIEW_PAGES = ['leads', 'campaigns'] as const;
export type SavedViewPage = (typeof SAVED_VIEW_PAGES)[number];

export const VIEW_NAME_CHARS_MAX = 80;
export const VIEW_SEARCH_CHARS_MAX = 4000;
