const PAGE_MAX = 100;

/** Loads a whole list page by page; lists set up by hand are short. */
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
