import { ExternalLink, Radar } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { readableDomain, readableHosts } from '../../../readable-hosts.ts';
import { Button, buttonClasses } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Spinner } from '../../../ui/spinner.tsx';
import { toastProblem } from '../../../ui/toast.tsx';
import { Note } from '../parts/note.tsx';
import { MisunderstoodForms } from './misunderstood-forms.tsx';
import type { Form, Site } from './site-queries.ts';
import { CHECK_MS_MAX, type CheckResult, waitForVisit } from './visit-check.ts';

/** Checks the installation by waiting for a visit. */
export function InstallCheck({
  site,
  sites,
  forms,
}: {
  site: Site;
  sites: readonly Site[];
  forms: readonly Form[];
}) {
  const running = useRef<AbortController>(undefined);
  const [isWaiting, setWaiting] = useState(false);
  const [result, setResult] = useState<CheckResult>();
  useEffect(() => () => running.current?.abort(), []);

  async function check() {
    const controller = new AbortController();
    running.current = controller;
    setWaiting(true);
    setResult(undefined);
    try {
      setResult(await waitForVisit(site, sites, controller.signal));
    } catch (error) {
      if (!controller.signal.aborted) toastProblem('The check was interrupted', error);
    }
    if (running.current === controller) setWaiting(false);
  }

  const address = addressToOpen(site.domains);
  return (
    <Card title="Is it installed?" hint="Open a page of the site and see whether the visit arrives.">
      <div className="grid gap-4">
        <div className="flex flex-wrap items-center gap-2">
          {isWaiting ? (
            <Button onClick={() => running.current?.abort()}>Stop waiting</Button>
          ) : (
            <Button icon={<Radar aria-hidden="true" />} onClick={check}>
              {result === undefined ? 'Start check' : 'Check again'}
            </Button>
          )}
          {address !== undefined && (
            <a href={address} target="_blank" rel="noreferrer" className={buttonClasses({ look: 'ghost' })}>
              <ExternalLink aria-hidden="true" />
              Open {readableDomain(address.replace(/^https?:\/\//, ''))}
            </a>
          )}
        </div>
        <div aria-live="polite" className="empty:absolute">
          {isWaiting && (
            <p className="flex items-center gap-2.5 text-ink-soft">
              <Spinner />
              <span>
                Now open or reload a page of {site.name} in another tab. Waiting for the visit… <Countdown />
              </span>
            </p>
          )}
          {!isWaiting && result !== undefined && <Result result={result} />}
        </div>
        <MisunderstoodForms forms={forms} />
      </div>
    </Card>
  );
}

function Result({ result }: { result: CheckResult }) {
  switch (result.found) {
    case 'visit':
      return (
        <Note tone="positive">
          <p className="font-medium">It works</p>
          <p>A visit to {readableHosts(result.page)} has arrived.</p>
        </Note>
      );
    case 'unlisted':
      return (
        <Note tone="warning">
          <p className="font-medium">A visit arrived from another domain</p>
          <p>
            {readableHosts(result.page)} is not on a listed domain. If it belongs to this site, add its
            domain: until then its forms are refused.
          </p>
        </Note>
      );
    case 'others':
      return (
        <Note>
          <p className="font-medium">Visits arrive, but their page is unknown</p>
          <p>New visits were counted in the last minute. Look for the page in the overview.</p>
        </Note>
      );
    case 'nothing':
      return (
        <Note tone="warning">
          <p className="font-medium">No visit has arrived</p>
          <p>
            Check that the page you opened is published and contains the tracker. Ad blockers and “Do Not
            Track” stop it, too: try a private window without extensions.
          </p>
        </Note>
      );
  }
}

/** Hidden from screen readers, which would read out every second. */
function Countdown() {
  const [seconds, setSeconds] = useState(CHECK_MS_MAX / 1000);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((left) => Math.max(0, left - 1)), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span aria-hidden="true" className="tabular-nums">
      {seconds} s
    </span>
  );
}

/** The first domain without a wildcard. */
function addressToOpen(domains: readonly string[]): string | undefined {
  const domain = domains.find((each) => !each.includes('*'));
  if (domain === undefined) return undefined;
  return /^(localhost|[\d.]+|\[)/.test(domain) ? `http://${domain}` : `https://${domain}`;
}
