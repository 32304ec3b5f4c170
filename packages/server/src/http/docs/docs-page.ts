import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES } from '@leadtrail/contract/error-codes';
import { escapeHtml } from '../../lib/html-text.ts';
import { PROJECT_DIR } from '../../lib/places.ts';
import { DOCS_STYLE } from './docs-style.ts';
import { curlExample } from './example.ts';
import { answerHtml, type Field, fieldsHtml, schemaHtml } from './fields-html.ts';
import { guideLinks } from './guides.ts';
import { type JsonSchema, withoutReferences } from './json-schema.ts';

/** The OpenAPI document as a page. Readable without its script, which adds search, copying and trying out. */

const SCRIPT = readFileSync(join(PROJECT_DIR, 'packages/server/pages/docs/docs.js'), 'utf8');

/** Its own script and nothing else; requests go to the service only. */
export const DOCS_POLICY = [
  "default-src 'none'",
  `script-src 'sha256-${hash('sha256', SCRIPT, 'base64')}'`,
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

type OpenApi = {
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, unknown> };
};
type Operation = {
  tags: string[];
  summary: string;
  security: object[];
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content & { description: string }>;
};
type Parameter = { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: JsonSchema };
type Content = { content?: Record<string, { schema?: JsonSchema; example?: unknown }> };
type Listed = { path: string; method: string; operation: Operation };

export function docsPage(document: object): string {
  const { info, tags, components, ...given } = document as OpenApi;
  const paths = withoutReferences(given.paths, components.schemas);
  const webhooks = withoutReferences(given.webhooks, components.schemas);
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Listed => ({ path, method, operation })),
  );
  const sections = tags.map(({ name, description }) => {
    const own = listed.filter(({ operation }) => operation.tags.includes(name));
    return section(name, description, own.map(operationHtml));
  });
  const sent = Object.values(webhooks).map(({ post }) =>
    operationHtml({ path: 'your webhook address', method: 'post', operation: post }),
  );
  const links = [...tags.map(({ name }) => name), WEBHOOKS].map(
    (name) => `<a href="#${anchor(name)}">${escapeHtml(name)}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Leadtrail API</title>
<style>${DOCS_STYLE}</style>
<main>
${guideLinks()}
<header><h1>Leadtrail API</h1>
<p>${escapeHtml(info.description)} For programs: <a href="/openapi.json">openapi.json</a>.</p>
<p>Endpoints marked with a key need <code>X-API-Key: &lt;API_KEY&gt;</code> or
<code>Authorization: Bearer &lt;API_KEY&gt;</code>; callbacks take their secret in the same place.
The examples expect <code>LEADTRAIL_URL</code> and <code>LEADTRAIL_KEY</code> in the environment of the shell.</p>
<p>Errors are <code>{"error": "…", "code": "…"}</code>: a sentence for people and a code for programs. The codes are
${ERROR_CODES.map((code) => `<code>${code}</code>`).join(', ')}.</p>
<nav>${links.join(' ')}</nav>
<div id="tools" hidden>
<label>Search <input id="search" type="search" placeholder="lead, export, consent…"></label>
<label>Key to try with <input id="key" type="password" autocomplete="off" placeholder="kept in this page only"></label>
<p id="found" role="status"></p>
</div></header>
${sections.join('\n')}
${section(WEBHOOKS, 'What the service sends to the automation platform.', sent)}
</main>
<script type="module">${SCRIPT}</script>
</html>`;
}

const WEBHOOKS = 'Webhooks';

function section(name: string, description: string, operations: readonly string[]): string {
  return `<section><h2 id="${anchor(name)}">${escapeHtml(name)}</h2><p>${escapeHtml(description)}</p>
${operations.join('\n')}</section>`;
}

function anchor(name: string): string {
  return name.toLowerCase().replaceAll(/\W+/g, '-');
}

function operationHtml({ path, method, operation }: Listed): string {
  const { summary, security, parameters = [], requestBody, responses } = operation;
  // An empty alternative means that no key is needed.
  const needsKey = security.length > 0 && security.every((way) => Object.keys(way).length > 0);
  const body = schemaOf(requestBody);
  const isOurs = path.startsWith('/');
  return `<details data-method="${method.toUpperCase()}" data-path="${escapeHtml(path)}">
<summary><b>${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code>
<span>${escapeHtml(summary)}${needsKey ? ' · <i>key</i>' : ''}</span></summary>
${parameters.length === 0 ? '' : `<h3>Parameters</h3>${fieldsHtml(parameters.map(fieldOf))}`}
${body === undefined ? '' : `<h3>Body</h3>${schemaHtml(body)}`}
${isOurs ? exampleHtml({ path, method, operation }, needsKey) : ''}
${Object.entries(responses).map(responseHtml).join('')}
</details>`;
}

function fieldOf({ name, required, schema, in: place }: Parameter): Field {
  return { name: place === 'query' ? name : `${name} (${place})`, schema, isRequired: required };
}

function exampleHtml({ path, method, operation }: Listed, needsKey: boolean): string {
  const { parameters = [], requestBody } = operation;
  const example = curlExample({
    method: method.toUpperCase(),
    path,
    parameters,
    needsKey,
    body: Object.values(requestBody?.content ?? {})[0]?.example,
  });
  return `<h3>Example</h3><pre class="example">${escapeHtml(example)}</pre>`;
}

function responseHtml([status, response]: [string, Operation['responses'][string]]): string {
  const schema = schemaOf(response);
  const title = `<h3>${status} · ${escapeHtml(response.description)}</h3>`;
  // All errors have the same body, described above.
  return schema === undefined || Number(status) >= 400 ? title : `${title}${answerHtml(schema)}`;
}

function schemaOf(holder: Content | undefined): JsonSchema | undefined {
  const [first] = Object.values(holder?.content ?? {});
  return first?.schema;
}
