import type { ReactNode } from 'react';
import { formatDuration, formatNumber } from '../../format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { classes } from '../../ui/classes.ts';
import { EngagementBadge } from '../../ui/engagement-badge.tsx';
import { riskOf } from '../../ui/risk.ts';
import type { Lead } from './data.ts';

/** How interested somebody is and how much to trust it, each with what speaks for it. */
export function ScoresCard({ lead }: { lead: Lead }) {
  const risk = riskOf(lead.suspicion_score);
  return (
    <Card title="Engagement and risk">
      <div className="grid gap-5">
        <Score
          name="Engagement"
          points={lead.engagement_score}
          bar="bg-accent"
          badge={<EngagementBadge label={lead.engagement_label} score={lead.engagement_score} />}
          reasons={engagementReasons(lead)}
          isEmpty="No visits are known for this person."
        />
        <Score
          name="Risk"
          points={lead.suspicion_score}
          bar={risk.bar}
          badge={
            <Badge tone={risk.tone} title={`Risk ${lead.suspicion_score} of 100`}>
              {risk.label} <span className="tabular-nums">{lead.suspicion_score}</span>
            </Badge>
          }
          reasons={riskReasons(lead)}
          isEmpty="Nothing speaks against it."
        />
      </div>
    </Card>
  );
}

function Score({
  name,
  points,
  bar,
  badge,
  reasons,
  isEmpty,
}: {
  name: string;
  points: number;
  bar: string;
  badge: ReactNode;
  reasons: readonly string[];
  isEmpty: string;
}) {
  return (
    <div className="grid gap-2">
      <div className="flex items-center justify-between gap-3">
        <h3 className="text-[0.8125rem] font-medium">{name}</h3>
        {badge}
      </div>
      <div aria-hidden="true" className="h-1.5 overflow-hidden rounded-full bg-sunken">
        <div className={classes('h-full rounded-full', bar)} style={{ width: `${points}%` }} />
      </div>
      {reasons.length === 0 ? (
        <p className="text-ink-soft">{isEmpty}</p>
      ) : (
        <ul className="grid gap-1 text-ink-soft">
          {reasons.map((reason) => (
            <li key={reason} className="flex gap-2">
              <span aria-hidden="true" className="text-ink-faint">
                ·
              </span>
              {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function engagementReasons(lead: Lead): string[] {
  const reasons: string[] = [];
  if (lead.pages_visited > 0) reasons.push(`Looked at ${counted(lead.pages_visited, 'page')}`);
  if (lead.session_duration_s > 0)
    reasons.push(`Spent ${formatDuration(lead.session_duration_s * 1000)} on the site`);
  if (lead.return_visits > 0) reasons.push(`Came back ${times(lead.return_visits)}`);
  if (lead.form_submit_count > 1) reasons.push(`Sent ${counted(lead.form_submit_count, 'form')}`);
  return reasons;
}

/** The service's own words, where more can be said. */
const WORDS: Readonly<Record<string, string>> = {
  'honeypot filled': 'Filled in a field that people cannot see',
  'time to submit missing': 'It is not known how long filling in the form took',
  'VPN suspected': 'Seems to use a VPN or a data centre',
  'bot user agent': 'The browser says it is a bot',
  'no contact details': 'Left neither an e-mail address nor a phone number',
};

function riskReasons(lead: Lead): string[] {
  const reasons = lead.suspicion_reasons.split(', ').filter((reason) => reason !== '');
  const worded = reasons.map((reason) => WORDS[reason] ?? reason.slice(0, 1).toUpperCase() + reason.slice(1));
  if (lead.vpn_suspected === 1 && !reasons.includes('VPN suspected'))
    worded.push(WORDS['VPN suspected'] ?? '');
  // The reasons may be those of a follow-up, and the time is that of the first enquiry.
  const isTimeSaid = reasons.some((reason) => reason.startsWith('submitted in under'));
  if (lead.time_to_submit_s !== null && !isTimeSaid)
    worded.push(`Took ${formatDuration(lead.time_to_submit_s * 1000)} to fill in the form`);
  return worded;
}

export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : nouns}`;
}

function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${formatNumber(count)} times`;
}
