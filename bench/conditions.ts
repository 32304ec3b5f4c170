/** What holds for every part of a run; `--quick` is to see that it works. */

export const quick = process.argv.includes('--quick');

export const CONNECTIONS = 32;
export const SECONDS = quick ? 4 : 20;
export const ECHO_SECONDS = quick ? 3 : 10;
/** The first seconds show how fast the code is compiled, not how fast it is. */
export const WARM_UP = { seconds: quick ? 2 : 5, connections: CONNECTIONS };
/** Every answer is computed anew. */
export const NOTHING_KEPT = { ANALYTICS_CACHE_TTL_SECONDS: '0' };
