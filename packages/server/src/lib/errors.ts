import type { ErrorCode as ContractErrorCode } from '@leadtrail/contract/error-codes';

export type ErrorCode = ContractErrorCode;

export type ErrorDetail = { path: string; message: string };

/** A failure that the caller is told about; http/error-response.ts has the status of each code. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: { details?: readonly ErrorDetail[]; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.details = more.details;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}

/** What an operator can cause or mend. Its message is all there is to say: which file or variable, and what is wrong. */
export class OperatorError extends Error {
  /** Unlike the class it comes along from another thread. */
  readonly isForOperator = true;
}

/** What is said where nothing goes on: to the operator a sentence, and of what nobody expected the stack, too. */
export function toldOf(error: unknown): string {
  const { message, stack } = error as Error;
  const explained = explainedIn(error);
  return explained === undefined ? `${message}\n${stack}` : explained.message;
}

/** The error itself, or the one that has caused it. */
export function explainedIn(error: unknown): OperatorError | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    if ((each as Partial<OperatorError>).isForOperator) return each as OperatorError;
  }
  return undefined;
}

const FILE_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user has no right to it',
  EPERM: 'this user has no right to it',
  EROFS: 'its file system is read-only',
  EISDIR: 'it is a folder',
  EEXIST: 'it is not a folder',
  ENOTDIR: 'it is not in a folder',
  ENOENT: 'it is not there',
  ENOSPC: 'its disk is full',
  EDQUOT: 'its disk is full for this user',
};

/** Why a file or a folder cannot be used; undefined: for a reason that nobody outside can mend. */
export function fileReason(error: unknown): string | undefined {
  return FILE_REASONS[(error as NodeJS.ErrnoException).code ?? ''];
}

/** Something the service needs is away for now: the caller should come back. */
export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('unavailable', message, { retryAfterSeconds: 2, cause });
}

/** For the log: the message, and that of the cause. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
