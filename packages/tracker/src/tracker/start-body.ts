import type { Fingerprint } from './fingerprint.ts';
import { visitor } from './session.ts';

/** What the service is told about a visit and the browser it happens in. */
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
    referrer,
    device_info: {
      user_agent: userAgent,
      language,
      platform,
      hardware_concurrency: hardwareConcurrency,
      // Small devices have a part of a gigabyte.
      device_memory: deviceMemory && Math.ceil(deviceMemory),
      // Whoever leaves before the browser was recognised is not kept any longer for it.
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
