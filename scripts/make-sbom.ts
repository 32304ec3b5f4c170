import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Lists the components of the service: a CycloneDX document, and a text with the licence of each package. */

type Licence = { license?: { id?: string; name?: string }; expression?: string };
type Component = { name: string; version: string; licenses?: Licence[] };

const ROOT = join(import.meta.dirname, '..');
const SBOM_BYTES_MAX = 64 * 1024 * 1024;

const document = execFileSync(
  'npm',
  ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev', '--loglevel', 'error'],
  { cwd: ROOT, encoding: 'utf8', maxBuffer: SBOM_BYTES_MAX },
);
const { components } = JSON.parse(document) as { components: Component[] };
const lines = components.map(({ name, version, licenses = [] }) => {
  const names = licenses.map(({ license, expression }) => license?.id ?? license?.name ?? expression);
  return `${name} ${version}: ${names.join(', ') || 'not stated'}`;
});

writeFileSync(join(ROOT, 'sbom.cdx.json'), document);
writeFileSync(join(ROOT, 'licences.txt'), `${lines.sort().join('\n')}\n`);
console.log(`sbom.cdx.json and licences.txt list ${components.length} packages.`);
