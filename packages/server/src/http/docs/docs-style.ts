import { readFileSync } from 'node:fs';

export const DOCS_STYLE = readFileSync(new URL('../../../pages/docs/docs.css', import.meta.url), 'utf8');
