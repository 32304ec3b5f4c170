import type { Retried } from '../store/tracking/ingest.ts';
import type { JobParts } from './job.ts';

/** Ingest waits during a step. */
const RECORDS_PER_STEP = 100;

/** Failed records are retried, because an update may have fixed the cause. */
export async function retryFailedRecords(
  { store, indexing, log, signal }: JobParts,
  now: number,
): Promise<void> {
  const sum = { applied: 0, failed: 0 };
  let leads = 0;
  let after: Retried['last'];
  do {
    const retried = await store.retryFailedRecords({
      max: RECORDS_PER_STEP,
      now,
      ...(after ? { after } : {}),
    });
    sum.applied += retried.applied;
    sum.failed += retried.failed;
    leads += retried.leads;
    after = retried.last;
  } while (after !== undefined && !signal.aborted);
  if (leads > 0) indexing.nudge();
  if (sum.applied > 0) log.info('failed records processed', sum);
}
