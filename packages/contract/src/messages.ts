import { z } from 'zod';

/** Validation messages that continue the field's name: "events must have at least 1 item". */
export function wordIssues(): void {
  z.config({ customError: (issue) => describe(issue as Issue) });
}

type Issue = z.core.$ZodRawIssue;

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

function describe(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
      if (issue.inclusive === false) return `must be greater than ${issue.minimum}`;
      return `must ${amount('at least', issue.origin, Number(issue.minimum))}`;
    case 'too_big':
      return `must ${amount('at most', issue.origin, Number(issue.maximum))}`;
    case 'invalid_format':
      return issue.format === 'uuid' ? 'must be a UUID' : undefined;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'unrecognized_keys':
      return `must not have ${issue.keys.join(', ')}`;
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : 'is not valid';
    default:
      return undefined;
  }
}

function amount(bound: 'at least' | 'at most', origin: string, count: number): string {
  const unit = UNITS[origin];
  return unit === undefined
    ? `be ${bound} ${count}`
    : `have ${bound} ${count} ${unit}${count === 1 ? '' : 's'}`;
}
