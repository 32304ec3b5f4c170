import type { AppSettings } from './app-settings.ts';
import type { KnownSenders } from './known-senders.ts';

/** Parameters to redact in page addresses, besides the built-in ones: the store may be away since the start. */
export function redactedParameters(parts: {
  settings: Pick<AppSettings, 'recent'>;
  senders: Pick<KnownSenders, 'settings'>;
}): readonly string[] {
  const settings = parts.settings.recent() ?? parts.senders.settings();
  return settings?.redactedParameters ?? [];
}
