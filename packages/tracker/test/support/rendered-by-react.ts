import { createRequire } from 'node:module';
import { rolldown } from 'rolldown';

/** A layout and the form in it, as a server renders them. `next/script` becomes the tag that it makes in a browser. */
export async function renderedByReact(layout: string, form: string): Promise<string> {
  const files: Record<string, string> = {
    'entry.tsx': `import { renderToString } from 'react-dom/server';
      import Layout from 'layout.tsx';
      import { EnquiryForm } from 'form.tsx';
      export const html = renderToString(<Layout><EnquiryForm /></Layout>);`,
    'layout.tsx': layout,
    'form.tsx': form,
    'next/script': `export default function Script({ strategy, ...tag }) { return <script async {...tag} />; }`,
  };
  const bundle = await rolldown({
    input: 'entry.tsx',
    platform: 'node',
    external: /^react/,
    logLevel: 'silent',
    plugins: [
      {
        name: 'samples',
        resolveId: (id) => (Object.hasOwn(files, id) ? `\0${id}` : null),
        load: (id) => (id.startsWith('\0') ? { code: files[id.slice(1)] ?? '', moduleType: 'tsx' } : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'cjs' });
  await bundle.close();
  const rendered = { html: '' };
  new Function('require', 'exports', output[0].code)(createRequire(import.meta.url), rendered);
  return rendered.html;
}
