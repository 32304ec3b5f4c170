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

/** Something an operator can cause or fix. Shown without a stack: the file or variable, and the cause. */
export class OperatorError extends Error {
  /** Unlike the class, it survives the transfer from another thread. */
  readonly isForOperator = true;
}

/** The message of a fatal error, with the stack if it was unexpected. */
export function toldOf(error: unknown): string {
  const { message, stack } = error as Error;
  const explained = explainedIn(error);
  return explained === undefined ? `${message}\n${stack}` : explained.message;
}

/** The operator's error in a chain of causes. */
export function explainedIn(error: unknown): OperatorError | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    if ((each as Partial<OperatorError>).isForOperator) return each as OperatorError;
  }
  return undefined;
}

const FILE_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user lacks permission',
  EPERM: 'this user lacks permission',
  EROFS: 'its file system is read-only',
  EISDIR: 'it is a folder',
  EEXIST: 'it is not a folder',
  ENOTDIR: 'its parent is not a folder',
  ENOENT: 'it does not exist',
  ENOSPC: 'its disk is full',
  EDQUOT: 'the disk quota of this user is used up',
};

/** Why a file or folder cannot be used; undefined: for no reason that an operator can fix. */
export function fileReason(error: unknown): string | undefined {
  return FILE_REASONS[(error as NodeJS.ErrnoException).code ?? ''];
}

/** A dependency is down for now: the caller should retry. */
export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('unavailable', message, { retryAfterSeconds: 2, cause });
}

/** For the log: the message, and that of the cause. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
