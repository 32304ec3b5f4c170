import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIsAdmin, useRole } from '../../api/role.ts';
import { settingsPlace } from '../../shared/settings-place.ts';
import { Card } from '../../ui/card.tsx';
import { useFigures, useRealtime, useRecentSubmissions } from './queries.ts';

const LINK = 'font-medium text-accent-text underline underline-offset-2';
/** Outside the dashboard, so not a router link. */
const DEMO_PAGE = '/demo';

/** Onboarding for a new installation; disappears with the first visit or lead. */
export function FirstSteps() {
  const isAdmin = useIsAdmin();
  const isKnown = useRole() !== undefined;
  const isFresh = useIsFresh();
  if (!isFresh || !isKnown) return null;
  return (
    <Card title="First steps" hint="Nothing has been tracked yet. Here is how to start.">
      <ol className="grid [counter-reset:step] gap-4 md:grid-cols-3 md:gap-6">
        {isAdmin ? <AdminSteps /> : <WaitingStep />}
        <Step title="See leads come in">
          Everyone who submits one of your forms appears here and among the{' '}
          <Link to="/leads" className={LINK}>
            leads
          </Link>
          , with the pages they visited.
        </Step>
      </ol>
      {isAdmin && (
        <p className="mt-4 text-[0.8125rem] text-ink-faint">
          Just looking around? A service without any configuration has a{' '}
          <a href={DEMO_PAGE} target="_blank" rel="noreferrer" className={LINK}>
            demo page
          </a>{' '}
          to try it on.
        </p>
      )}
    </Card>
  );
}

function AdminSteps() {
  return (
    <>
      <Step title="Add your site">
        Enter its domains under{' '}
        <Link {...settingsPlace('sites')} className={LINK}>
          Sites and forms
        </Link>
        .
      </Step>
      <Step title="Paste its code">
        Copy the site’s code into your pages, then run the check to see that it works.
      </Step>
    </>
  );
}

function WaitingStep() {
  return (
    <Step title="Have your site added">
      Ask an admin to add your site and its code. Visits are counted from then on.
    </Step>
  );
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 [counter-increment:step] before:grid before:size-7 before:place-items-center before:rounded-full before:bg-accent-soft before:text-[0.8125rem] before:font-semibold before:text-accent-text before:content-[counter(step)]">
      <div>
        <h3 className="text-sm leading-7">{title}</h3>
        <p className="text-ink-soft">{children}</p>
      </div>
    </li>
  );
}

/** Realtime figures are polled, so the first visit shows without a reload. */
function useIsFresh(): boolean {
  const { data: figures } = useFigures();
  const { data: now } = useRealtime();
  const { data: recent } = useRecentSubmissions();
  return figures?.total_sessions === 0 && now?.total_sessions_today === 0 && recent?.length === 0;
}
