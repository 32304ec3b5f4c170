const GAP_PX = 4;

/** Scrolls a row to one of its items. Unlike `scrollIntoView` it leaves the page where it is. */
export function bringIntoRow(item: HTMLElement): void {
  const row = item.parentElement;
  if (row === null) return;
  const start = item.offsetLeft - GAP_PX;
  const end = item.offsetLeft + item.offsetWidth + GAP_PX;
  if (start < row.scrollLeft) row.scrollLeft = start;
  else if (end > row.scrollLeft + row.clientWidth) row.scrollLeft = end - row.clientWidth;
}
