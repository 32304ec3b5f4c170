/** What is seen beside an item at the edge of its row. */
const GAP_PX = 4;

/** Shows an item of a row that is longer than the screen; the page itself stays where it is. */
export function bringIntoRow(item: HTMLElement): void {
  const row = item.parentElement;
  if (row === null) return;
  const start = item.offsetLeft - GAP_PX;
  const end = item.offsetLeft + item.offsetWidth + GAP_PX;
  if (start < row.scrollLeft) row.scrollLeft = start;
  else if (end > row.scrollLeft + row.clientWidth) row.scrollLeft = end - row.clientWidth;
}
