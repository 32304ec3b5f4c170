import { retainSearchParams } from '@tanstack/react-router';
import { FRAME_KEYS, type FrameSearch, readFrameSearch } from './frame/frame.ts';
import { NotFound, PageFailed } from './shell/page-failed.tsx';

/** What the root of every router has. Each link carries the frame from page to page. */
export const FRAMED = {
  notFoundComponent: NotFound,
  errorComponent: PageFailed,
  validateSearch: readFrameSearch,
  search: { middlewares: [retainSearchParams<FrameSearch>([...FRAME_KEYS])] },
};

/** Parameters that no reader knows are taken out of the address: otherwise a mistyped one would reach the service. */
export const STRICT_SEARCH = { strict: true };
