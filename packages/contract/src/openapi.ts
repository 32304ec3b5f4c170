import { z } from 'zod';
import { type Endpoint, GROUPS, isSuccess } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { EXAMPLES } from './examples.ts';
import { ApiError } from './fields.ts';
import { ForwardedLead, StageChanged } from './forwarded-lead.ts';
import { TrackingEvent } from './tracking.ts';

type JsonObject = Record<string, unknown>;

const STATUS_TEXT: Readonly<Record<number, string>> = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted: durable, processed in the background',
  301: 'Done: a redirect to the next page',
  400: 'The request is not valid',
  401: 'The key or secret is missing or invalid',
  403: 'Not allowed',
  404: 'Not found',
  409: 'It exists already, or what it needs is not set up',
  410: 'No longer in use',
  413: 'The body is too large',
  422: 'Another body was sent under this Idempotency-Key',
  429: 'Too many requests; see Retry-After',
  500: 'Something went wrong on our side',
  503: 'Temporarily unavailable, or not set up',
};

const SUMMARY =
  'Self-hosted lead tracking, lead capture and analytics. ' +
  'Beyond what is listed, other methods on a known path are answered with 405 and Allow, unknown paths with 404, ' +
  'and malformed requests with 400, 408 or 431. Every answer carries X-Request-Id.';

type Description = {
  tags: JsonObject[];
  paths: Record<string, JsonObject>;
  webhooks: JsonObject;
  components: JsonObject;
};
let description: Description | undefined;

/** The whole contract as an OpenAPI 3.1 document. Built once: too slow to build per request. */
export function openapiDocument(serverUrl: string): JsonObject {
  description ??= describe();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Leadtrail',
      version: '1',
      description: SUMMARY,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    ...description,
  };
}

function describe(): Description {
  const schemas: JsonObject = {};
  // `trackEvents` refers to it by name only, so it is added by hand.
  schemaOf(TrackingEvent, 'input', schemas);
  const paths: Record<string, JsonObject> = {};
  for (const [name, declared] of Object.entries(endpoints)) {
    const path = declared.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][declared.method.toLowerCase()] = operation(name, declared, schemas);
  }
  return {
    tags: Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: {
      leadForwarded: {
        post: sending('leadForwarded', 'A lead, sent to the automation platform', ForwardedLead, schemas),
      },
      leadStageChanged: {
        post: sending(
          'leadStageChanged',
          'A lead was moved to another stage in Leadtrail',
          StageChanged,
          schemas,
        ),
      },
    },
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'webhook-signature',
          description: 'Standard Webhooks 1.0, with webhook-id and webhook-timestamp, made with the secret',
        },
      },
    },
  };
}

/** What the service itself sends, to the automation platform. */
function sending(operationId: string, summary: string, body: z.ZodType, components: JsonObject): JsonObject {
  return {
    operationId,
    tags: ['Deliveries'],
    summary: `${summary}; signed by Standard Webhooks`,
    security: [],
    parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
      name,
      in: 'header',
      required: name !== 'webhook-signature',
      schema: { type: 'string' },
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemaOf(body, 'output', components) } },
    },
    responses: {
      200: { description: 'Delivered, as with any 2xx. Anything else is retried, except 410.' },
    },
  };
}

function operation(name: string, declared: Endpoint, components: JsonObject): JsonObject {
  return {
    operationId: name,
    tags: [declared.group],
    summary: declared.summary,
    security: securityOf(declared),
    ...parametersOf(declared, components),
    ...requestBodyOf(declared, EXAMPLES[name as keyof typeof EXAMPLES], components),
    responses: Object.fromEntries(
      Object.entries(responsesOf(declared)).map(([status, schema]) => [
        status,
        response(Number(status), schema, declared, components),
      ]),
    ),
  };
}

/** 429 wherever keys are checked: wrong ones are rate-limited. 403 for the weaker token of a shared link. */
function responsesOf({ auth, form, responses }: Endpoint): Endpoint['responses'] {
  if (auth === 'public' && form === undefined) return responses;
  return { ...responses, ...(auth === 'marketing' ? { 403: ApiError } : {}), 429: ApiError };
}

/** A form may come with a key or without. */
function securityOf({ auth, form }: Endpoint): JsonObject[] {
  if (form !== undefined) return [{}, { apiKey: [] }];
  const key = [{ bearer: [] }, { apiKey: [] }];
  if (auth === 'callback' || auth === 'crm-webhook') return [...key, { signature: [] }];
  return auth === 'public' ? [] : key;
}

function parametersOf({ params, query, headers }: Endpoint, components: JsonObject): JsonObject {
  const parameters = [
    ...Object.entries(params?.shape ?? {}).map(([name, schema]) => ({
      name,
      in: 'path',
      required: true,
      schema,
    })),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
      name,
      in: 'query',
      required: !(schema as z.ZodType).safeParse(undefined).success,
      schema,
    })),
    ...Object.entries(headers?.shape ?? {}).map(([name, schema]) => ({
      name,
      in: 'header',
      required: false,
      schema,
    })),
  ].map(({ schema, ...parameter }) => ({
    ...parameter,
    // Generators look for it here, not in the schema.
    ...describedAs(schema as z.ZodType),
    schema: { ...schemaOf(schema as z.ZodType, 'input', components), ...defaultOf(schema as z.ZodType) },
  }));
  return parameters.length === 0 ? {} : { parameters };
}

function describedAs({ description }: z.ZodType): JsonObject {
  return description === undefined ? {} : { description };
}

/** zod leaves the defaults of transformed values out of the input. */
function defaultOf(schema: z.ZodType): JsonObject {
  const value = schema.meta()?.default;
  return value === undefined ? {} : { default: value };
}

const FORM_TYPES = [
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/json',
  'text/plain',
];

function requestBodyOf(
  { body, form, file, isBodyOptional }: Endpoint,
  example: unknown,
  components: JsonObject,
): JsonObject {
  if (file !== undefined) {
    const part = { type: 'object', properties: { file: { type: 'string', format: 'binary' } } };
    const content = { [file]: { schema: { type: 'string' } }, 'multipart/form-data': { schema: part } };
    return { requestBody: { required: true, content } };
  }
  const schema = body ?? form;
  if (schema === undefined) return {};
  const described = { schema: schemaOf(schema, 'input', components), example };
  const types = form === undefined ? ['application/json'] : FORM_TYPES;
  return {
    requestBody: {
      required: !isBodyOptional,
      content: Object.fromEntries(types.map((type) => [type, described])),
    },
  };
}

function response(status: number, schema: z.ZodType, declared: Endpoint, components: JsonObject): JsonObject {
  const contentType = isSuccess(status) ? (declared.produces ?? 'application/json') : 'application/json';
  const description = STATUS_TEXT[status] ?? 'Answer';
  if (status === 301)
    return { description, headers: { Location: { schema: { type: 'string', format: 'uri' } } } };
  const described = { schema: schemaOf(schema, 'output', components) };
  const whole = [contentType.split(';')[0] ?? '', declared.alsoProduces ?? []].flat();
  const types = isSuccess(status) ? (declared.streams ?? whole) : [contentType];
  // A browser that has posted a form gets a page.
  const pages = declared.form !== undefined && !isSuccess(status) ? ['text/html'] : [];
  const content = [...types, ...pages].map((type) => [type, type.startsWith('text/') ? TEXT : described]);
  return { description, content: Object.fromEntries(content) };
}

const TEXT = { schema: { type: 'string' } };

/** JSON Schema of one zod schema; named ones move to the components and are referred to. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: JsonObject): JsonObject {
  const converted = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  const text = JSON.stringify(converted).replaceAll('"#/$defs/', '"#/components/schemas/');
  const described = JSON.parse(text) as JsonObject & { $defs?: JsonObject };
  const { $schema: _dialect, $defs = {}, ...json } = described;
  for (const [name, inner] of Object.entries($defs)) addComponent(components, name, inner);
  return json;
}

/** Input and output schemas may differ, but a name can only stand for one of them. */
function addComponent(components: JsonObject, name: string, described: unknown): void {
  const before = components[name];
  if (before !== undefined && JSON.stringify(before) !== JSON.stringify(described)) {
    throw new Error(`The contract describes ${name} in two ways.`);
  }
  components[name] = described;
}
