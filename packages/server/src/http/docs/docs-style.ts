import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_DIR } from '../../lib/places.ts';

export const DOCS_STYLE = readFileSync(join(PROJECT_DIR, 'packages/server/pages/docs/docs.css'), 'utf8');
