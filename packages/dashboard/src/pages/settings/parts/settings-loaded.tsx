import type { ReactNode } from 'react';
import { Card } from '../../../ui/card.tsx';
import { ErrorState, SkeletonRows } from '../../../ui/states.tsx';
import { type Settings, useSettings } from './use-settings.ts';

export function SettingsLoaded({ children }: { children: (settings: Settings) => ReactNode }) {
  const settings = useSettings();
  if (settings.data !== undefined) return children(settings.data);
  return (
    <Card isFlush>
      {settings.isError ? (
        <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />
      ) : (
        <SkeletonRows rows={5} />
      )}
    </Card>
  );
}
