import type { DropdownOption } from './option-queries.ts';

/** Leaves gaps for options inserted later. */
const STEP = 10;

/** The sort numbers to save for this order: the moved option's alone if there is a gap, else new ones for all. */
export function sortOrdersFor(order: readonly DropdownOption[], movedId: number): Map<number, number> {
  const at = order.findIndex(({ id }) => id === movedId);
  const between = numberBetween(order[at - 1]?.sort_order, order[at + 1]?.sort_order);
  if (between !== undefined) return new Map([[movedId, between]]);
  const renumbered = order.map(({ id }, index) => [id, (index + 1) * STEP] as const);
  return new Map(renumbered.filter(([, number], index) => order[index]?.sort_order !== number));
}

function numberBetween(before: number | undefined, after: number | undefined): number | undefined {
  if (before === undefined) return after === undefined ? STEP : after - STEP;
  if (after === undefined) return before + STEP;
  return after - before > 1 ? Math.floor((before + after) / 2) : undefined;
}

export function sortOrderAtEnd(options: readonly DropdownOption[]): number {
  return Math.max(0, ...options.map(({ sort_order }) => sort_order)) + STEP;
}
