import { createHash } from 'node:crypto';
import type { Cost } from '../../packages/server/src/domain/costs/read-costs.ts';
import { utcDay } from '../../packages/server/src/lib/utc-time.ts';
import type { Store } from '../../packages/server/src/store/store.ts';
import type { Random } from './random.ts';
import type { Visit } from './visits.ts';

/** Costs of the campaigns: the clicks of every day, at prices that vary around that of the source. */

/** Price per click in euros, and click-through rate. */
const PRICES: Readonly<Record<string, { fileName: string; click: number; clickRate: number }>> = {
  google: { fileName: 'google-ads.csv', click: 2.9, clickRate: 0.045 },
  facebook: { fileName: 'facebook-ads.csv', click: 1.35, clickRate: 0.011 },
  instagram: { fileName: 'instagram-ads.csv', click: 1.6, clickRate: 0.008 },
  linkedin: { fileName: 'linkedin-ads.csv', click: 6.4, clickRate: 0.005 },
  bing: { fileName: 'microsoft-ads.csv', click: 1.9, clickRate: 0.03 },
};
/** People who know the brand or have visited before are cheaper to attract. */
const CAMPAIGN_FACTORS: Readonly<Record<string, number>> = { brand: 0.45, remarketing: 0.7, lookalike: 1.25 };
const MICROS_PER_CENT = 10_000;

export async function importCosts(
  store: Store,
  visits: readonly Visit[],
  random: Random,
  now: number,
): Promise<void> {
  for (const [source, { fileName, click, clickRate }] of Object.entries(PRICES)) {
    const costs = clicksByDay(visits.filter(({ channel }) => channel.utm?.source === source));
    for (const cost of costs) {
      const price = click * (CAMPAIGN_FACTORS[cost.campaign] ?? 1) * (0.8 + 0.4 * random.next());
      cost.amount_micros = Math.round(cost.clicks * price * 100) * MICROS_PER_CENT;
      cost.impressions = Math.round(cost.clicks / (clickRate * (0.8 + 0.4 * random.next())));
    }
    const importId = createHash('sha256').update(JSON.stringify(costs)).digest('hex').slice(0, 32);
    if (costs.length > 0) await store.importCosts({ importId, format: 'plain', fileName, costs, now });
  }
}

function clicksByDay(visits: readonly Visit[]): Cost[] {
  const byKey = new Map<string, Cost>();
  for (const { visitor, campaign, startedAt } of visits) {
    const { utm_source: source = '', utm_medium: medium = '', utm_campaign: name = '' } = campaign;
    const place = {
      day: utcDay(startedAt),
      site_key: visitor.client.siteKey,
      source,
      medium,
      campaign: name,
    };
    const key = Object.values(place).join('\n');
    const cost = byKey.get(key) ?? { ...place, amount_micros: 0, clicks: 0, impressions: 0 };
    cost.clicks += 1;
    byKey.set(key, cost);
  }
  return [...byKey.values()];
}
