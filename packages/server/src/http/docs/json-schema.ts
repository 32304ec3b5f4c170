/** The part of JSON Schema that the contract uses; references are resolved. */
export type JsonSchema = {
  title?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  examples?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: boolean | JsonSchema;
  prefixItems?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
};

/** Replaces references by what they refer to. */
export function withoutReferences<T>(value: T, schemas: Record<string, unknown>): T {
  return resolve(value, schemas, []) as T;
}

function resolve(value: unknown, schemas: Record<string, unknown>, within: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, schemas, within));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as Record<string, unknown>;
  if (typeof $ref !== 'string') {
    return Object.fromEntries(
      Object.entries(rest).map(([key, inner]) => [key, resolve(inner, schemas, within)]),
    );
  }
  const name = $ref.split('/').at(-1) ?? '';
  // A recursive schema stays a name.
  if (within.includes(name)) return { title: name };
  return { title: name, ...(resolve(schemas[name], schemas, [...within, name]) as object), ...rest };
}

/** The alternatives of a schema, or the schema itself. */
export function alternatives(schema: JsonSchema): JsonSchema[] {
  return schema.anyOf ?? schema.oneOf ?? [schema];
}

export function itemsOf({ items }: JsonSchema): JsonSchema | undefined {
  return typeof items === 'object' ? items : undefined;
}
