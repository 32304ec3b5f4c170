import { type FrameFilter, type FrameSearch, filtersOf, filterText, OF_VISITS } from './frame.ts';

type Search = FrameSearch & { figure?: unknown };
type Middleware = <S>(asked: { search: S; next: (search: S) => S }) => S;

/**
 * Middleware for lists with filters of their own. `apply` translates the filters of the frame to those of the list, or opens
 * the list of a figure; filters that cannot be applied are removed from the address.
 */
export function applyFilters(
  apply: (filters: readonly FrameFilter[], asked: object) => object | undefined,
): Middleware {
  return ({ search, next }) => {
    const asked = next(search);
    const { figure, filters } = { filters: (search as Search).filters, ...(asked as Search) };
    if (filters === undefined) return asked;
    // Leads have no pages and events: filtering by them would empty the list.
    const usable = filtersOf(filters).filter(({ dimension }) => !OF_VISITS.has(dimension));
    const kept = { ...asked, filters: usable.length === 0 ? undefined : usable.map(filterText) };
    if (figure !== undefined || usable.length === 0) return kept;
    const applied = apply(usable, asked as object);
    return applied === undefined ? { ...asked, filters: undefined } : { ...kept, ...applied };
  };
}
