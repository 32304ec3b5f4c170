import { execFile } from 'node:child_process';
import { mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PROJECT_DIR } from '../../server/src/lib/places.ts';

/** A program of somebody else, written against a client that is generated from a service's own description. */

const run = promisify(execFile);

const STRICTEST = {
  compilerOptions: {
    ...{ target: 'esnext', module: 'nodenext', types: ['node'], noEmit: true },
    ...{ strict: true, erasableSyntaxOnly: true, allowImportingTsExtensions: true, skipLibCheck: true },
  },
};

/** A folder with the types generated, and these files beside them. */
export async function generateClient(
  serviceUrl: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'leadtrail-client-'));
  await symlink(join(PROJECT_DIR, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(STRICTEST));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const generator = fileURLToPath(new URL('../bin/cli.js', import.meta.resolve('openapi-typescript')));
  const to = join(folder, 'leadtrail.d.ts');
  await run(process.execPath, [generator, `${serviceUrl}/openapi.json`, '--output', to]);
  return folder;
}

/** What the compiler has to say about the folder; nothing, if it is right. */
export async function typeErrors(folder: string): Promise<string> {
  const tsc = join(PROJECT_DIR, 'node_modules/.bin/tsc');
  return run(tsc, ['-p', folder]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}
