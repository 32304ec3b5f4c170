import pg from 'pg';
import { explainedIn, OperatorError } from '../lib/errors.ts';

/** Why PostgreSQL cannot be used, in a sentence for the operator. */

/**
 * Classes and codes an operator can act on: connection, authorization, missing
 * database, read-only server, privileges, resources, operator intervention, system.
 * Other codes are about statements, which only a change of the code can mend.
 */
const OPERATORS_CODE = /^(08|28|3D|53|57|58)|^(25006|42501|0A000)$/;
const EXTENSION = 'pg_trgm';
const HELP_WITH_EXTENSION =
  'allow the role of DATABASE_URL to create it (grant create on database), or let a superuser do it (create extension pg_trgm)';

export function explainToOperator(error: Error): never {
  if (explainedIn(error) !== undefined) throw error;
  const cause = (error.cause ?? error) as Error;
  const reason = reasonOf(cause);
  if (!isOperators(cause)) throw new Error(`PostgreSQL cannot be used (${reason}).`, { cause: error });
  const help = reason.includes(EXTENSION) ? `: ${HELP_WITH_EXTENSION}` : '';
  throw new OperatorError(`PostgreSQL cannot be used (${reason})${help}.`, { cause: error });
}

/**
 * Errors of the driver have no SQLSTATE, or a system error code;
 * programming errors have a name of their own, such as TypeError.
 */
function isOperators(error: Error): boolean {
  if (error instanceof pg.DatabaseError) return OPERATORS_CODE.test(error.code ?? '');
  return error.name === 'Error' || error instanceof AggregateError;
}

/** A host with several addresses fails with one error for each. */
function reasonOf(error: Error): string {
  const { message, code } = (
    error instanceof AggregateError ? (error.errors[0] ?? error) : error
  ) as Error & {
    code?: string;
  };
  return message || code || error.name;
}
