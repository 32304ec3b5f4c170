import { type Db, totalsIn } from './dialect.ts';
import type { SubmissionTotalRow } from './schema.ts';

/** How many submissions there were each day, for reports of whole days. */

export const SUBMISSION_FIGURES = [
  'submissions',
  'suspicion',
  'engagement',
  'time_to_submit_ms',
  'timed',
] as const;

const SLOTS = totalsIn(
  'submission_slots',
  ['day', 'project_name', 'source', 'engagement_label', 'slot'],
  SUBMISSION_FIGURES,
  { isNoted: true },
);

export function addToTotals({ dialect }: Db, total: SubmissionTotalRow): Promise<void> {
  return dialect.addRows(SLOTS, [{ ...total, slot: dialect.slot }]);
}

const OF_KEY = 'where day = ? and project_name = ? and source = ? and engagement_label = ?';
const TABLES = ['submission_totals', 'submission_slots'] as const;

/** Leaves one row, or none at zero: project and source are texts that a person sent. */
export async function takeOffTotals(db: Db, gone: SubmissionTotalRow): Promise<void> {
  const { dialect } = db;
  // What is subtracted may still be buffered.
  await dialect.writeNotes();
  const left = { ...gone };
  for (const figure of SUBMISSION_FIGURES) left[figure] = -gone[figure];
  const key = [gone.day, gone.project_name, gone.source, gone.engagement_label];
  for (const table of TABLES) {
    const removed = await dialect.run<SubmissionTotalRow>(
      `delete from ${table} ${OF_KEY} returning ${SUBMISSION_FIGURES.join(', ')}`,
      key,
    );
    for (const row of removed) for (const figure of SUBMISSION_FIGURES) left[figure] += row[figure];
  }
  if (left.submissions > 0) await addToTotals(db, left);
}
