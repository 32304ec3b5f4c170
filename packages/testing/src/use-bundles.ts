import { registerHooks } from 'node:module';

/**
 * Loaded first into test processes, the services they start, and all of their threads: takes a bundle where `npm test`
 * has made one. Loading several hundred modules one by one takes each thread of a service longer than most tests.
 */

const bundles: Readonly<Record<string, string>> = JSON.parse(process.env.TEST_BUNDLES ?? '{}');

registerHooks({
  resolve(specifier, context, next) {
    const url = bundles[specifier] ?? bundles[URL.parse(specifier, context.parentURL)?.href ?? ''];
    if (url === undefined || !context.conditions.includes('import')) return next(specifier, context);
    return { url, format: 'module', shortCircuit: true };
  },
});
