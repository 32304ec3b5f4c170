// The entry of the service. Plain JavaScript, so that the cache below is in use before the first TypeScript
// file is loaded: taking the types out costs each thread 18 MiB and a good part of the start-up time.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const cacheDir = fileURLToPath(new URL('../../node_modules/.cache/leadtrail', import.meta.url));
enableCompileCache(cacheDir);
// Worker threads look at the environment only.
process.env.NODE_COMPILE_CACHE = cacheDir;

await import('./src/main.ts');
