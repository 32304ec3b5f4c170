import { markRetryable } from '../store/postgres-dialect.ts';
import { isStalePreparedStatement } from './postgres-pipeline.ts';

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';

/** Marks errors for which the whole transaction should be retried, not a part of it. */
export function markedIfRetryable<E>(error: E): E {
  const { code } = error as { code?: string };
  if (code === SERIALIZATION_FAILURE || code === DEADLOCK || isStalePreparedStatement(error))
    markRetryable(error as object);
  return error;
}
