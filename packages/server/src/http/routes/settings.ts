import type { AppSettings } from '../../flows/app-settings.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { kept } from '../kept.ts';

export function settingsRoutes({
  settings,
}: {
  settings: AppSettings;
}): Pick<Handlers, 'settings' | 'saveSettings'> {
  return {
    settings: kept({ from: ['readSettings'] }, async () => (await settings.latest()).shown),
    saveSettings: async ({ body }) => (await settings.save(body)).shown,
  };
}
