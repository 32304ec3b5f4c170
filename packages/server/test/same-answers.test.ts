import { test } from 'node:test';
import { compareAnswers } from '@leadtrail/testing/same-answers';
import { SECOND_MS } from '../src/lib/utc-time.ts';

/** More where asked for: `REQUESTS=1000000 npm test -- same-answers`; a round again with the SEED that it names. */
const REQUESTS = Number(process.env.REQUESTS ?? 200);
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
/** What is asked for gets longer with what was sent: each round begins with installations that are empty. */
const ROUND_REQUESTS = 10_000;

// The hooks of the test runner take a fifth of the time, so many rounds go without.
if (REQUESTS > ROUND_REQUESTS) await runRounds();
else
  test(`one process with SQLite and three with PostgreSQL, Redis and S3 answer the same (SEED=${SEED})`, () =>
    compareAnswers(SEED, REQUESTS));

async function runRounds(): Promise<void> {
  for (let before = 0; before < REQUESTS; before += ROUND_REQUESTS) {
    const startedAt = performance.now();
    const seed = SEED + before / ROUND_REQUESTS;
    const requests = Math.min(REQUESTS - before, ROUND_REQUESTS);
    const outcome = await compareAnswers(seed, requests).then(
      () => 'the same',
      (error: Error) => {
        process.exitCode = 1;
        return error.stack;
      },
    );
    const seconds = (performance.now() - startedAt) / SECOND_MS;
    console.log(`SEED=${seed} ${requests} requests in ${seconds.toFixed(0)} s: ${outcome}`);
  }
}
