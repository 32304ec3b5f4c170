import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIsAdmin, useRole } from '../../api/role.ts';
import { settingsPlace } from '../../shared/settings-place.ts';
import { Card } from '../../ui/card.tsx';
import { useFigures, useRealtime, useRecentSubmissions } from './queries.ts';

const LINK = 'font-medium text-accent-text underline underline-offset-2';
/** Outside the dashboard, hence no link of the router. */
const DEMO_PAGE = '/demo';

/** What to do with a new installation. Gone with the first visit or the first lead, by itself. */
export function FirstSteps() {
  const isAdmin = useIsAdmin();
  const isKnown = useRole() !== undefined;
  const isFresh = useIsFresh();
  if (!isFresh || !isKnown) return null;
  return (
    <Card title="First steps" hint="Nothing has been recorded yet. This is how it begins.">
      <ol className="grid [counter-reset:step] gap-4 md:grid-cols-3 md:gap-6">
        {isAdmin ? <AdminSteps /> : <WaitingStep />}
        <Step title="See leads come in">
          Everybody who sends one of your forms appears here and among the{' '}
          <Link to="/leads" className={LINK}>
            leads
          </Link>
          , with what they looked at before.
        </Step>
      </ol>
      {isAdmin && (
        <p className="mt-4 text-[0.8125rem] text-ink-faint">
          Just looking around? If you started without any configuration, there is a{' '}
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
        Say which domains it has, under{' '}
        <Link {...settingsPlace('sites')} className={LINK}>
          Sites and forms
        </Link>
        .
      </Step>
      <Step title="Paste its code">
        Copy the code of the site into your pages, and let the check there tell you whether it works.
      </Step>
    </>
  );
}

function WaitingStep() {
  return (
    <Step title="Have your site added">
      Whoever has the admin key adds your site and its code. Visits are counted from then on.
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

/** What happens right now is asked for again and again, so the first visit shows without a reload. */
function useIsFresh(): boolean {
  const { data: figures } = useFigures();
  const { data: now } = useRealtime();
  const { data: recent } = useRecentSubmissions();
  return figures?.total_sessions === 0 && now?.total_sessions_today === 0 && recent?.length === 0;
}
