/** Settings of all sections; `--quick` only checks that the benchmark works. */

export const quick = process.argv.includes('--quick');

export const CONNECTIONS = 32;
export const SECONDS = quick ? 4 : 20;
export const ECHO_SECONDS = quick ? 3 : 10;
/** Warm-up of the JIT. */
export const WARM_UP = { seconds: quick ? 2 : 5, connections: CONNECTIONS };
/** Turns off the response cache. */
export const NOTHING_KEPT = { ANALYTICS_CACHE_TTL_SECONDS: '0' };
