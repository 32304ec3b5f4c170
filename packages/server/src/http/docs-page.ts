import { ERROR_CODES } from '@leadtrail/contract/error-codes';
import { escapeHtml } from '../lib/html-text.ts';

type Json = Record<string, unknown>;

/** The OpenAPI document as a page that needs no script. */
export function docsPage(document: Json): string {
  const { schemas } = document.components as { schemas: Json };
  const paths = withoutReferences(document.paths, schemas) as Record<string, Record<string, Json>>;
  const sent = withoutReferences(document.webhooks, schemas) as Record<string, Record<string, Json>>;
  const groups = Object.groupBy(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    ),
    ({ operation }) => (operation.tags as string[])[0] ?? '',
  );
  const sections = Object.entries(groups).map(
    ([name, operations]) =>
      `<h2 id="${anchor(name)}">${escapeHtml(name)}</h2>${(operations ?? []).map(operationHtml).join('')}`,
  );
  const links = Object.keys(groups).map((name) => `<a href="#${anchor(name)}">${escapeHtml(name)}</a>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Leadtrail API</title>
<style>${STYLE}</style>
<main>
<header><h1>Leadtrail API</h1>
<p>${escapeHtml((document.info as Json).description as string)}
For programs: <a href="/openapi.json">openapi.json</a>.</p>
<p>Endpoints marked with a key want <code>Authorization: Bearer &lt;API_KEY&gt;</code> or
<code>X-API-Key: &lt;API_KEY&gt;</code>; callbacks want their secret in the same place.</p>
<p>Errors are <code>{"error": "…", "code": "…"}</code>: a sentence for people and a code for programs. The codes are
${ERROR_CODES.map((code) => `<code>${code}</code>`).join(', ')}.</p>
<nav>${links.join(' ')}</nav></header>
${sections.join('\n')}
<h2 id="webhooks">Webhooks</h2>${Object.values(sent).map(webhookHtml).join('')}
</main>
</html>`;
}

/** What a reference stands for, in its place, so that one can read which fields there are. */
function withoutReferences(value: unknown, schemas: Json, within: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutReferences(item, schemas, within));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as Json;
  if (typeof $ref !== 'string') {
    return Object.fromEntries(
      Object.entries(rest).map(([key, inner]) => [key, withoutReferences(inner, schemas, within)]),
    );
  }
  const name = $ref.split('/').at(-1) ?? '';
  // One that holds itself stays a name.
  if (within.includes(name)) return { title: name };
  const meant = withoutReferences(schemas[name], schemas, [...within, name]) as Json;
  return { title: name, ...meant, ...rest };
}

function webhookHtml({ post }: Record<string, Json>): string {
  return operationHtml({ path: 'your webhook address', method: 'post', operation: post as Json });
}

function anchor(name: string): string {
  return name.toLowerCase().replaceAll(/\W+/g, '-');
}

function operationHtml({
  path,
  method,
  operation,
}: {
  path: string;
  method: string;
  operation: Json;
}): string {
  const security = operation.security as Json[];
  // One of the ways may be to need none.
  const needsKey = security.length > 0 && security.every((way) => Object.keys(way).length > 0);
  return `<details>
<summary><b class="${method}">${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code>
<span>${escapeHtml(operation.summary as string)}${needsKey ? ' · <i>key</i>' : ''}</span></summary>
${part('Parameters', operation.parameters)}${part('Body', schemaOf(operation.requestBody))}
${Object.entries(operation.responses as Record<string, Json>)
  .map(responseHtml)
  .join('')}
</details>`;
}

function responseHtml([status, response]: [string, Json]): string {
  const title = `${status} · ${response.description as string}`;
  return part(title, schemaOf(response)) || `<h3>${escapeHtml(title)}</h3>`;
}

function schemaOf(holder: unknown): unknown {
  const content = (holder as Json | undefined)?.content as Record<string, Json> | undefined;
  return content && Object.values(content)[0]?.schema;
}

function part(title: string, value: unknown): string {
  if (value === undefined) return '';
  return `<h3>${escapeHtml(title)}</h3><pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`;
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#e3e5ea, #2c303a); --soft: light-dark(#f6f7f9, #1a1d24); --faint: light-dark(#5d6472, #9aa1af) }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; background: light-dark(#fff, #111318); color: light-dark(#1a1d24, #e8eaf0) }
main { max-width: 56rem; margin: 0 auto; padding: 2rem 1rem 4rem }
h1 { margin: 0 } h2 { margin: 2.5rem 0 .5rem } h3 { font-size: .85rem; margin: 1rem 0 .25rem; color: var(--faint) }
a { color: light-dark(#1f5fd0, #8ab4ff) } nav a { margin-right: 1rem }
details { border-top: 1px solid var(--line); padding: .6rem 0 }
summary { cursor: pointer; display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline }
summary span { color: var(--faint) }
b { font-size: .75rem; padding: .1rem .45rem; border-radius: .3rem; background: var(--soft); border: 1px solid var(--line) }
code, pre { font: .875rem/1.5 ui-monospace, monospace } pre { background: var(--soft); padding: .75rem; border-radius: .5rem; overflow-x: auto }
`;
