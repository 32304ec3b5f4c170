import { counted } from '../../format.ts';
import { readableHosts } from '../../readable-hosts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { Time } from '../../ui/time.tsx';
import { WebLink } from '../../ui/web-link.tsx';
import type { LeadTouch } from './data.ts';

/** The API's placeholders for unknown values. */
const UNSAID: ReadonlySet<string> = new Set(['', '(none)', '(direct)']);

/** The visits that brought the person: the first, the last, and those between. */
export function OriginCard({ touches }: { touches: readonly LeadTouch[] }) {
  const [first, ...later] = touches;
  const last = later.pop();
  if (first === undefined) return null;
  return (
    <Card title="How they came" hint="Visits before the enquiry; later direct ones are left out.">
      <div className="grid gap-4">
        <Touch label={last === undefined ? 'First and last touch' : 'First touch'} touch={first} />
        {later.length > 0 && (
          <Disclosure title={`${counted(later.length, 'touch', 'touches')} between`}>
            <ol className="grid gap-3">
              {later.map((touch, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: Static list; untracked visits have no id.
                <li key={index}>
                  <Touch touch={touch} />
                </li>
              ))}
            </ol>
          </Disclosure>
        )}
        {last !== undefined && <Touch label="Last touch" touch={last} />}
      </div>
    </Card>
  );
}

function Touch({ label, touch }: { label?: string; touch: LeadTouch }) {
  const from = [touch.source, touch.medium].filter(isSaid).join(' / ');
  const campaign = [touch.campaign, touch.term, touch.content].filter(isSaid).join(' · ');
  return (
    <section className="grid min-w-0 gap-1">
      <span className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-0.5 text-xs text-ink-faint">
        {label !== undefined && <h3>{label}</h3>}
        <Time value={touch.at} />
      </span>
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <Badge>{touch.channel}</Badge>
        {from !== '' && <bdi className="wrap-anywhere">{readableHosts(from)}</bdi>}
      </span>
      {campaign !== '' && <bdi className="font-medium wrap-anywhere">{campaign}</bdi>}
      {touch.entry_page !== '' && <WebLink address={touch.entry_page} className="text-[0.8125rem]" />}
    </section>
  );
}

function isSaid(text: string): boolean {
  return !UNSAID.has(text);
}
