import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { routes } from '../contract/src/routes.ts';

const ROUTES = 'leadtrail:routes';

/** What is loaded before the first page, in one file. Without the helper that the frame of recordings needs too. */
const FIRST = {
  name: 'first',
  tags: ['$initial'],
  minShareCount: 2,
  test: (id: string) => !id.includes('preload-helper'),
};
/** Otherwise each icon that two pages share would be a file of its own. */
const ICONS = {
  name: 'icons',
  test: /node_modules.lucide-react/,
  minShareCount: 2,
  includeDependenciesRecursively: false,
};

/** What a client has to know of each endpoint, without the schemas that would come with the contract itself. */
function contractRoutes(): Plugin {
  return {
    name: 'contract-routes',
    resolveId: (id) => (id === ROUTES ? ROUTES : null),
    load: (id) => (id === ROUTES ? `export const routes = ${JSON.stringify(routes)};` : null),
  };
}

// biome-ignore lint/style/noDefaultExport: Vite reads it from there.
export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [contractRoutes(), react(), tailwindcss()],
  build: {
    outDir: 'build',
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page lets nothing be written into it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ['index.html', 'replay-frame.html'].map((page) => join(import.meta.dirname, page)),
      output: { codeSplitting: { groups: [FIRST, ICONS] } },
    },
    reportCompressedSize: false,
    // A test holds what has to be loaded before the first page is there.
    chunkSizeWarningLimit: 1000,
  },
});
