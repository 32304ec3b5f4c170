import { type FrameFilter, type FrameSearch, filtersOf, filterText, OF_VISITS } from './frame.ts';

type Search = FrameSearch & { figure?: unknown };
type Middleware = <S>(asked: { search: S; next: (search: S) => S }) => S;

/**
 * For lists that have filters of their own: they open with those of figures applied, as `apply` has it, or as the list of
 * a figure. What is not applied leaves the address.
 */
export function applyFilters(
  apply: (filters: readonly FrameFilter[], asked: object) => object | undefined,
): Middleware {
  return ({ search, next }) => {
    const asked = next(search);
    const { figure, filters } = { filters: (search as Search).filters, ...(asked as Search) };
    if (filters === undefined) return asked;
    // By what only visits have, a list of people would be empty.
    const usable = filtersOf(filters).filter(({ dimension }) => !OF_VISITS.has(dimension));
    const kept = { ...asked, filters: usable.length === 0 ? undefined : usable.map(filterText) };
    if (figure !== undefined || usable.length === 0) return kept;
    const applied = apply(usable, asked as object);
    return applied === undefined ? { ...asked, filters: undefined } : { ...kept, ...applied };
  };
}
