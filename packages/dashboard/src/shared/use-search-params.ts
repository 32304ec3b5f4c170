import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** Undefined removes a parameter from the address. */
export type SearchChange<S> = { [K in keyof S]?: S[K] | undefined };
export type ChangeSearch<S> = (
  change: SearchChange<S>,
  /** Replacing: the back button skips what was there before. By default typing a search replaces. */
  how?: { isReplacing?: boolean },
) => void;

/**
 * The parameters of the page's address, as its route validates them, and a function that changes some of them. A
 * changed filter shows another list: from its first page, with no row opened.
 */
export function useSearchParams<S extends object>(): [S, ChangeSearch<S>] {
  const search = useSearch({ strict: false }) as object as S;
  const navigate = useNavigate();
  const changeSearch = useCallback<ChangeSearch<S>>(
    (change, { isReplacing = 'q' in change } = {}) => {
      const next = ({ open, offset, ...rest }: { open?: unknown; offset?: unknown }) => {
        const changed = { ...rest, ...('open' in change ? { offset } : {}), ...change };
        return Object.fromEntries(
          Object.entries(changed).filter(([, value]) => value !== undefined && value !== ''),
        );
      };
      void navigate({
        to: '.',
        search: next as never,
        replace: isReplacing,
        resetScroll: 'offset' in change,
      });
    },
    [navigate],
  );
  return [search, changeSearch];
}
