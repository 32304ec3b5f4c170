import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { said } from '../search-params.ts';

/** What is undefined goes out of the address. */
export type Change<S> = { [K in keyof S]?: S[K] | undefined };
export type ChangeSearch<S> = (changed: Change<S>, how?: { isReplaced?: boolean }) => void;
type Listing = { offset?: number; q?: string; open?: string | number };

/**
 * Changes what the address says about a list. Other filters show another list, from its beginning and with nothing
 * of it opened; opening something leaves the list as it is.
 */
export function useSearchChange<S extends Listing>(): ChangeSearch<S> {
  const navigate = useNavigate();
  return useCallback(
    (changed, { isReplaced = false } = {}) => {
      const isOpening = 'open' in changed;
      const next = ({ open, offset, ...before }: S) => {
        const { q, ...rest } = {
          ...before,
          ...(isOpening ? { offset } : {}),
          ...changed,
        };
        return said({ ...rest, q: q || undefined });
      };
      void navigate({
        to: '.',
        search: next as never,
        // Every letter would be a step back.
        replace: isReplaced || 'q' in changed,
        resetScroll: 'offset' in changed,
      });
    },
    [navigate],
  );
}
