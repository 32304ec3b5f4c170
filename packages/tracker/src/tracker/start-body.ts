import { tag } from '../script-tag.ts';
import type { Fingerprint } from './fingerprint.ts';
import { visitor } from './session.ts';

/** The body of a session start. */
export function startBody(session_id: string, page: string, referrer: string, known?: Fingerprint): string {
  const { userAgent, language, platform, hardwareConcurrency, deviceMemory } = navigator as Navigator & {
    deviceMemory?: number;
  };
  const visitor_id = visitor();
  return JSON.stringify({
    fingerprint_id: known?.id ?? visitor_id,
    page,
    visitor_id,
    session_id,
    site_key: tag?.dataset.site,
    referrer,
    device_info: {
      user_agent: userAgent,
      language,
      platform,
      hardware_concurrency: hardwareConcurrency,
      // May be a fraction of a gigabyte; the service takes integers.
      device_memory: deviceMemory && Math.ceil(deviceMemory),
      // Undefined if the visitor leaves before the fingerprint is ready.
      timezone: known?.timezone,
    },
    screen: {
      width: screen.width,
      height: screen.height,
      color_depth: screen.colorDepth,
      pixel_ratio: devicePixelRatio,
    },
  });
}
