import { ENGAGEMENT_LABELS, type EngagementLabel } from '../../charts/engagement.ts';
import { defined, oneOf, type RawSearch, textOf } from '../../shared/search-params.ts';

export const PERIODS = [7, 30, 90, 365] as const;
export type Period = (typeof PERIODS)[number];
export const PERIOD_DEFAULT: Period = 30;

export type CampaignsSearch = {
  days?: Period;
  project?: string;
  source?: string;
  engagement?: EngagementLabel;
};

export function readCampaignsSearch(search: RawSearch): CampaignsSearch {
  return defined({
    days: PERIODS.find((period) => period === Number(search.days)),
    project: textOf(search.project),
    source: textOf(search.source),
    engagement: oneOf(search.engagement, ENGAGEMENT_LABELS),
  });
}
