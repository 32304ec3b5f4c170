import { markRetryable } from '../store/postgres-dialect.ts';
import { isStalePreparedStatement } from './postgres-pipeline.ts';

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';

/** Marks an error after which the whole transaction is worth another try, and no part of it by itself. */
export function markedIfRetryable<E>(error: E): E {
  const { code } = error as { code?: string };
  if (code === SERIALIZATION_FAILURE || code === DEADLOCK || isStalePreparedStatement(error))
    markRetryable(error as object);
  return error;
}
