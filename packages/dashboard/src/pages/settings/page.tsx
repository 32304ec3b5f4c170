import { useParams } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { useEffect } from 'react';
import { useViewer } from '../../api/role.ts';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx';
import { SectionNavigation } from './section-navigation.tsx';
import { SECTIONS } from './sections.tsx';

export function SettingsPage() {
  const viewer = useViewer();
  const role = viewer.data?.role;
  const { section = SECTIONS[0]?.slug } = useParams({ strict: false });
  const shown = SECTIONS.find(({ slug }) => slug === section);
  const title = shown?.title;
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · Settings · Leadtrail`;
  }, [title]);

  if (role !== 'admin') {
    return (
      <Page title="Settings">
        <Card isFlush>
          {role === 'marketing' && <NotForMarketing />}
          {role === undefined && viewer.isError && (
            <ErrorState error={viewer.error} onRetry={() => void viewer.refetch()} />
          )}
          {role === undefined && !viewer.isError && <SkeletonRows />}
        </Card>
      </Page>
    );
  }
  return (
    <Page title="Settings">
      <div className="grid min-w-0 gap-4 sm:gap-5 xl:grid-cols-[13rem_minmax(0,1fr)] xl:gap-8">
        <SectionNavigation current={section} />
        <div className="grid min-w-0 max-w-4xl content-start gap-4 sm:gap-5">
          {shown === undefined ? (
            <Card isFlush>
              <EmptyState title="Section not found">Choose another section.</EmptyState>
            </Card>
          ) : (
            <shown.Section key={shown.slug} />
          )}
        </div>
      </div>
    </Page>
  );
}

function NotForMarketing() {
  return (
    <EmptyState icon={<Lock aria-hidden="true" />} title="Settings need the admin key">
      You are signed in with the marketing key. To change settings, sign in with the admin key or ask an
      admin.
    </EmptyState>
  );
}
