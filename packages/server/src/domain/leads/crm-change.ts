import type { LeadStatus } from '@leadtrail/contract/lead-status';
import { LEAD_VALUE_MAX } from '@leadtrail/contract/limits';
import type { CrmStageRule } from '@leadtrail/contract/settings';

/** What a CRM event changes on its lead, by the mapping in the settings. */

export type CrmMapping = {
  /** The first match wins. */
  stages: readonly CrmStageRule[];
  /** The first with a number wins. */
  valueFields: readonly string[];
};

/** Undefined: unchanged. */
export type CrmChange = { status: LeadStatus | undefined; value: number | undefined };

export function crmChange(body: unknown, { stages, valueFields }: CrmMapping): CrmChange {
  const rule = stages.find(({ field, value }) => folded(textOf(fieldOf(body, field))) === folded(value));
  const values = valueFields.map((field) => amountOf(fieldOf(body, field)));
  return { status: rule?.stage, value: values.find((value) => value !== undefined) };
}

/** A field by its name, or by a path of names such as `deal.stage`. */
function fieldOf(body: unknown, path: string): unknown {
  if (typeof body !== 'object' || body === null) return undefined;
  if (Object.hasOwn(body, path)) return body[path as keyof typeof body];
  const dot = path.indexOf('.');
  if (dot === -1) return undefined;
  const name = path.slice(0, dot);
  return Object.hasOwn(body, name)
    ? fieldOf(body[name as keyof typeof body], path.slice(dot + 1))
    : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

function folded(text: string): string {
  return text.trim().toLowerCase();
}

/** As programs write numbers: with thousands separators, `1.234` would be ambiguous. */
const AMOUNT = /^\d{1,10}(?:\.\d{1,6})?$/;

function amountOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && AMOUNT.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  return number >= 0 && number <= LEAD_VALUE_MAX ? number : undefined;
}

/** CRM events change nothing. */
export const NO_MAPPING: CrmMapping = { stages: [], valueFields: [] };
