const PAGE_MAX = 100;

/** A list that is set up by hand is short enough to be shown whole. */
export async function allPages<R>(
  page: (query: { limit: number; offset: number }) => Promise<{ rows: R[]; total: number }>,
): Promise<R[]> {
  const all: R[] = [];
  for (;;) {
    const { rows, total } = await page({ limit: PAGE_MAX, offset: all.length });
    all.push(...rows);
    if (rows.length === 0 || all.length >= total) return all;
  }
}
