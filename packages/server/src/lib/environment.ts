import { OperatorError } from './errors.ts';

/** Typed access to environment variables. */

export type Environment = Readonly<Record<string, string | undefined>>;

export type Variables = ReturnType<typeof readVariables>;

export function readVariables(env: Environment) {
  const asked = new Set<string>();
  /** An empty value is the same as none: an empty secret must not count as a secret. */
  const text = (name: string): string | undefined => raw(name)?.trim() || undefined;
  /** Unlike `text`, tells "set to nothing" from "not set". */
  function raw(name: string): string | undefined {
    asked.add(name);
    return env[name];
  }

  return {
    text,
    raw,
    asked,
    flag(name: string, byDefault: boolean): boolean {
      const value = text(name)?.toLowerCase();
      if (value === undefined) return byDefault;
      if (['true', '1', 'on', 'yes'].includes(value)) return true;
      if (['false', '0', 'off', 'no'].includes(value)) return false;
      throw new OperatorError(`${name} must be on or off, not "${value}".`);
    },
    integer(name: string, byDefault: number, range: { min: number; max?: number }): number {
      const value = text(name);
      if (value === undefined) return byDefault;
      const max = range.max ?? Number.MAX_SAFE_INTEGER;
      const number = Number(value);
      if (!Number.isInteger(number) || number < range.min || number > max) {
        throw new OperatorError(
          `${name} must be a whole number from ${range.min} to ${max}, not "${value}".`,
        );
      }
      return number;
    },
    url(name: string, protocols: readonly string[]): string | undefined {
      const value = text(name);
      if (value !== undefined && !protocols.includes(URL.parse(value)?.protocol ?? '')) {
        // The value may hold a password, so it is not repeated.
        throw new OperatorError(
          `${name} must be a URL starting with ${protocols.map(protocolStart).join(' or ')}.`,
        );
      }
      return value;
    },
    path(name: string, byDefault: string): string {
      const value = text(name) ?? byDefault;
      if (!/^(\/[\w.~-]*[\w~-])+$/.test(value)) {
        throw new OperatorError(
          `${name} must be a path such as ${byDefault}, of letters, digits and -._~, not "${value}".`,
        );
      }
      return value;
    },
    oneOf<const T extends string>(name: string, allowed: readonly T[], byDefault: T): T {
      const value = text(name)?.toLowerCase();
      if (value === undefined) return byDefault;
      const found = allowed.find((candidate) => candidate === value);
      if (found === undefined) throw new OperatorError(`${name} must be one of ${allowed.join(', ')}.`);
      return found;
    },
    someOf<const T extends string>(name: string, allowed: readonly T[]): T[] {
      const values = (text(name)?.toLowerCase() ?? '').split(',').map((value) => value.trim());
      const given = values.filter((value) => value !== '');
      const unknown = given.find((value) => !allowed.some((candidate) => candidate === value));
      if (unknown !== undefined) {
        throw new OperatorError(
          `${name} must be a comma-separated list of ${allowed.join(', ')}, not "${unknown}".`,
        );
      }
      return allowed.filter((candidate) => given.includes(candidate));
    },
  };
}

function protocolStart(protocol: string): string {
  return protocol === 'mailto:' ? protocol : `${protocol}//`;
}
