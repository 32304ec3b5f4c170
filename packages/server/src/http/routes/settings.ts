import type { EdgeName } from '../../domain/edges.ts';
import type { AppSettings } from '../../flows/app-settings.ts';
import type { PreviewRetention } from '../../flows/preview-retention.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { kept } from '../kept.ts';

export function settingsRoutes({
  settings,
  previewRetention,
  edges,
}: {
  settings: AppSettings;
  previewRetention: PreviewRetention;
  edges: readonly EdgeName[];
}): Pick<Handlers, 'settings' | 'connection' | 'retention' | 'saveSettings'> {
  return {
    settings: kept({ from: ['readSettings'] }, async () => (await settings.latest()).shown),
    connection: ({ clientSource }) => {
      const { peer, trusted, ip, header, ignored } = clientSource();
      return {
        ...{ peer, is_trusted_proxy: trusted, address: ip, header },
        ...{ ignored_headers: [...ignored], edges: [...edges] },
      };
    },
    retention: ({ query }) => previewRetention(query),
    saveSettings: async ({ body }) => (await settings.save(body)).shown,
  };
}
