import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import { fileReason, OperatorError } from '../lib/errors.ts';

/** Named like their environment variables. */
const NAMES = [
  'ANALYTICS_API_KEY',
  'ANALYTICS_MARKETING_API_KEY',
  'CRM_CALLBACK_SECRET',
  'EDGE_ACCOUNT_ID',
  'ANALYTICS_ENGINE_API_TOKEN',
] as const;

/** Generated at the first start, if none are configured. */
export type GeneratedKeys = Record<(typeof NAMES)[number], string>;

export type Keys = {
  admin: string;
  marketing: string | undefined;
  callbackSecret: string | undefined;
  created: boolean;
};

/** An admin key in the environment means that no keys are generated. */
export function keysOf(config: Config, keyFile: string): Keys {
  if (config.analyticsApiKey !== undefined) {
    return {
      admin: config.analyticsApiKey,
      marketing: config.marketingApiKey,
      callbackSecret: config.crmCallbackSecret,
      created: false,
    };
  }
  const { keys, created } = readOrCreateKeys(keyFile);
  return {
    admin: keys.ANALYTICS_API_KEY,
    marketing: keys.ANALYTICS_MARKETING_API_KEY,
    callbackSecret: config.crmCallbackSecret ?? keys.CRM_CALLBACK_SECRET,
    created,
  };
}

/** Generated at the first start; readable by the service's user only. */
export function readOrCreateKeys(file: string): { keys: GeneratedKeys; created: boolean } {
  const kept = read(file);
  if (kept !== undefined) return { keys: kept, created: false };
  const keys: GeneratedKeys = {
    ANALYTICS_API_KEY: secret('lt_admin'),
    ANALYTICS_MARKETING_API_KEY: secret('lt_marketing'),
    CRM_CALLBACK_SECRET: secret('lt_callback'),
    EDGE_ACCOUNT_ID: 'local',
    ANALYTICS_ENGINE_API_TOKEN: secret('lt_engine'),
  };
  const created = writeOnce(file, `${JSON.stringify(keys, null, 2)}\n`);
  // Another process created the file at the same moment; use its keys.
  return { keys: created ? keys : (read(file) ?? keys), created };
}

/** Atomic, even if the process is killed. False: the file exists already. */
function writeOnce(file: string, text: string): boolean {
  const temporary = `${file}.${randomUUID()}`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
    return giveName(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function giveName(temporary: string, file: string): boolean {
  try {
    linkSync(temporary, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // Not every file system has hard links.
    renameSync(temporary, file);
    return true;
  }
}

function read(file: string): GeneratedKeys | undefined {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  const kept = parsed(text);
  const missing = NAMES.find((name) => typeof kept?.[name] !== 'string' || kept[name] === '');
  if (kept !== undefined && missing === undefined) return kept as GeneratedKeys;
  const wrong = kept === undefined ? 'cannot be read' : `has no ${missing}`;
  throw new OperatorError(`${file} ${wrong}; repair it, or remove it to have new keys made.`);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    const reason = fileReason(error) ?? (error as Error).message;
    throw new OperatorError(`${file} cannot be read: ${reason}.`, { cause: error });
  }
}

/** Swallows the error, whose message would quote the file, that is, the keys. */
function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function secret(prefix: string): string {
  return `${prefix}_${randomBytes(24).toString('base64url')}`;
}
