import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { INTEGRATION_KEY } from '@leadtrail/testing/enquiries';
import { rolldown } from 'rolldown';
import { PROJECT_DIR } from '../../../server/src/lib/places.ts';
import { formScript, trackerScript } from './lead-forms.ts';
import { listening } from './site.ts';
import { FEEDBACK, SITE_KINDS } from './site-kinds.ts';

/** All kinds of sites on one origin, each twice: `/open/…`, and `/asking/…` where consent is required. */

const LIBRARIES: Readonly<Record<string, string>> = {
  'jquery.js': 'jquery/dist/jquery.js',
  'htmx.js': 'htmx.org/dist/htmx.js',
  'turbo.js': '@hotwired/turbo/dist/turbo.es2017-umd.js',
};

export type MatrixSite = { url: string; close(): Promise<void> };

export async function openMatrixSite(service: { url: string }): Promise<MatrixSite> {
  const answers = new Map<string, { type: string; body: string }>();
  const serve = (path: string, body: string, type = 'text/html') => answers.set(path, { type, body });
  for (const [name, file] of Object.entries(LIBRARIES)) {
    serve(`/lib/${name}`, await readFile(join(PROJECT_DIR, 'node_modules', file), 'utf8'), 'text/javascript');
  }
  serve('/lib/react-site.js', await bundleReact(), 'text/javascript');
  const tags = trackerScript(service) + formScript(service);
  for (const [index, kind] of SITE_KINDS.entries()) {
    for (const [area, head] of [
      ['open', tags],
      ['asking', tags.replaceAll('<script', '<script data-consent="required"')],
    ] as const) {
      const base = `/${area}/${index}/`;
      const place = { base, capture: `${service.url}/lead.capture`, tags: head };
      serve(base, kind.landing(place));
      serve(`${base}contact`, kind.contact(place));
      serve(`${base}thank-you.html`, kind.thankYou(place));
    }
  }

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    if (pathname === FEEDBACK) return forward(service, request, response);
    const { type, body } = answers.get(pathname) ?? { type: 'text/plain', body: '' };
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' });
    response.end(body);
  });
  return listening(server);
}

/** As a plugin of WordPress does with what the form has sent. */
async function forward(
  service: { url: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status } = await fetch(`${service.url}/lead.capture`, {
    method: 'POST',
    headers: {
      'content-type': request.headers['content-type'] ?? '',
      accept: 'application/json',
      'x-api-key': INTEGRATION_KEY,
    },
    body: await buffer(request),
  });
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ contact_form_id: 5, status: 'mail_sent', message: 'Thank you' }));
}

async function bundleReact(): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'react-site.ts'),
    platform: 'browser',
    logLevel: 'silent',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await bundle.generate({ format: 'iife' });
  await bundle.close();
  return output[0].code;
}
