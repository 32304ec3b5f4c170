/** Structured log lines. Fields never hold names, e-mail addresses, phone numbers, keys or whole URLs. */
export type Log = Record<'debug' | 'info' | 'warn' | 'error', (message: string, fields?: LogFields) => void>;

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;
