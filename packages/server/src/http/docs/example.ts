import type { JsonSchema } from './json-schema.ts';

/**
 * A curl command that works as it stands, once variables for the address of the service and the key are set.
 */

export type ExampleRequest = {
  method: string;
  path: string;
  parameters: readonly { name: string; in: string; required: boolean; schema: JsonSchema }[];
  needsKey: boolean;
  /** Undefined: the request has no body. */
  body: unknown;
};

export function curlExample({ method, path, parameters, needsKey, body }: ExampleRequest): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$LEADTRAIL_URL${filled(path, parameters)}"`,
  ];
  if (needsKey) lines.push('-H "X-API-Key: $LEADTRAIL_KEY"');
  if (body !== undefined) {
    lines.push("-H 'Content-Type: application/json'");
    lines.push(`-d '${JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`)}'`);
  }
  return lines.join(' \\\n  ');
}

function filled(path: string, parameters: ExampleRequest['parameters']): string {
  const value = (schema: JsonSchema) => encodeURIComponent(sample(schema));
  const withIds = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const parameter = parameters.find((each) => each.name === name);
    return parameter === undefined ? whole : value(parameter.schema);
  });
  const asked = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => `${name}=${value(schema)}`);
  return asked.length === 0 ? withIds : `${withIds}?${asked.join('&')}`;
}

const UUID = '018f3c1e-7a64-7c3e-9b1a-2f5d8c4e6a70';

function sample({ enum: values, type, format }: JsonSchema): string {
  if (values !== undefined) return String(values[0]);
  return type === 'string' && format === 'uuid' ? UUID : '1';
}
