import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothStores, postgresUrl } from '@leadtrail/testing/service';
import { runFreshness } from '@leadtrail/testing/torture/freshness';
import { newPlace, type Place, removePlace } from '@leadtrail/testing/torture/place';

/** The short form of `npm run torture -- freshness`. */

const PAIRS = 1000;
const SEED = 20_261_115;

onBothStores('people who change things and look at them', (kind) => {
  let place: Place;
  before(async () => {
    place = await newPlace(kind, postgresUrl);
  });
  after(() => removePlace(place));

  test('no one ever sees a stale answer, in any process', async () => {
    const processes = kind === 'postgres' ? 2 : 1;
    const { pairs, hits, stale } = await runFreshness({ place, pairs: PAIRS, processes, seed: SEED });
    assert.deepEqual(stale, []);
    assert.ok(pairs >= PAIRS);
    assert.ok(hits > 0, 'nothing was ever kept');
  });
});
