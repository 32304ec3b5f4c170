import { visitor } from './session.ts';

/** What the service is told about a visit and the browser it happens in. */
export function startBody(
  session_id: string,
  fingerprint_id: string,
  page: string,
  referrer: string,
): string {
  const { userAgent, language, platform, hardwareConcurrency, deviceMemory } = navigator as Navigator & {
    deviceMemory?: number;
  };
  return JSON.stringify({
    fingerprint_id,
    page,
    visitor_id: visitor(),
    session_id,
    referrer,
    device_info: {
      user_agent: userAgent,
      language,
      platform,
      hardware_concurrency: hardwareConcurrency,
      // Small devices have a part of a gigabyte.
      device_memory: deviceMemory && Math.ceil(deviceMemory),
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
    screen: {
      width: screen.width,
      height: screen.height,
      color_depth: screen.colorDepth,
      pixel_ratio: devicePixelRatio,
    },
  });
}
