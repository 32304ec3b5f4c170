import { writeFile } from 'node:fs/promises';
import { rolldown } from 'rolldown';
import { minify } from 'terser';

export type ScriptFormat = 'iife' | 'es';

/** Bundles one browser script into one file. */
export async function buildBrowserScript(
  entry: string,
  format: ScriptFormat,
  outFile: string,
): Promise<void> {
  await writeFile(outFile, await bundleBrowserScript(entry, format));
}

/** A classic script that leaves no names behind, or a module; other code may stand in the place of a package. */
export async function bundleBrowserScript(
  entry: string,
  format: ScriptFormat,
  inPlaceOf: Readonly<Record<string, string>> = {},
): Promise<string> {
  const bundle = await rolldown({
    input: entry,
    platform: 'browser',
    transform: { target: 'es2020' },
    plugins: [replacing(inPlaceOf)],
    onwarn(warning) {
      throw new Error(warning.message);
    },
  });
  const { output } = await bundle.generate({ format, minify: true });
  await bundle.close();
  const [script] = output;
  if (output.length > 1) throw new Error(`${entry} became ${output.length} files.`);
  return minified(script.code, format);
}

/** Each of the two finds what the other leaves: together they save visitors another twentieth. */
async function minified(code: string, format: ScriptFormat): Promise<string> {
  const { code: smaller = '' } = await minify(code, {
    module: format === 'es',
    ecma: 2020,
    // Other people's consoles are not the place for what a library has to say.
    compress: { passes: 3, unsafe_arrows: true, drop_console: true },
    format: { comments: false },
  });
  return smaller;
}

function replacing(inPlaceOf: Readonly<Record<string, string>>) {
  return {
    name: 'replacing',
    resolveId: (id: string) => (id in inPlaceOf ? id : null),
    load: (id: string) => inPlaceOf[id] ?? null,
  };
}
