import type { AdPlatform } from '@leadtrail/contract/conversions';
import { formCampaign } from '../leads/form-touches.ts';
import type { OriginVisit } from '../leads/touches.ts';
import { type CampaignParams, campaignParams } from '../tracking/campaign-params.ts';

/** The click on an ad of a platform that a lead came from. */

export type AdClick = { clickId: string; clickedAt: number };

const PARAMS = { google: 'gclid', meta: 'fbclid', microsoft: 'msclkid' } as const satisfies Record<
  AdPlatform,
  string
>;

/**
 * The alphabet of click ids. Anything else was typed by hand. A leading sign would be a formula in the CSV
 * file, and escaping it would change the id.
 */
const CLICK_ID = /^\w[\w.-]*$/;

/**
 * The latest click: the form's, else that of the latest touch with one; the last touch may be another
 * platform's.
 */
export function adClick(
  platform: AdPlatform,
  lead: { campaign: CampaignParams; referer: string; enquiry_at: number },
  touches: readonly OriginVisit[],
): AdClick | undefined {
  const param = PARAMS[platform];
  const clicks = [
    ...touches.map((touch) => ({
      clickId: campaignParams(touch.entry_page)[param] ?? '',
      clickedAt: touch.started_at,
    })),
    { clickId: formCampaign(lead.campaign, lead.referer)[param] ?? '', clickedAt: lead.enquiry_at },
  ].filter(({ clickId }) => CLICK_ID.test(clickId));
  const latest = clicks.at(-1);
  // A form repeats the click id of an earlier visit, which has the time of the click.
  return latest && (clicks.find(({ clickId }) => clickId === latest.clickId) ?? latest);
}
