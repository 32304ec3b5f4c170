import { retainSearchParams } from '@tanstack/react-router';
import { FRAME_KEYS, type FrameSearch, readFrameSearch } from './frame/frame.ts';
import { NotFound, PageFailed } from './shell/page-failed.tsx';

/** Options of every root route. Links carry the frame from page to page. */
export const FRAMED = {
  notFoundComponent: NotFound,
  errorComponent: PageFailed,
  validateSearch: readFrameSearch,
  search: { middlewares: [retainSearchParams<FrameSearch>([...FRAME_KEYS])] },
};

/** Strips parameters that no reader knows from the address, so that a mistyped one never reaches the service. */
export const STRICT_SEARCH = { strict: true };
