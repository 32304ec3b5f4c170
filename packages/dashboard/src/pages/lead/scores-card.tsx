import type { ReactNode } from 'react';
import { counted, formatDateTime, formatDuration, formatNumber } from '../../format.ts';
import { useTimeZone } from '../../time-zone.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { classes } from '../../ui/classes.ts';
import { EngagementBadge } from '../../ui/engagement-badge.tsx';
import { riskOf } from '../../ui/risk.ts';
import type { Lead, LeadDetail, LeadSubmission } from './data.ts';

export function ScoresCard({ detail }: { detail: LeadDetail }) {
  useTimeZone();
  const { lead } = detail;
  const followUp = riskyFollowUp(detail);
  const risk = riskOf(lead.suspicion_score);
  return (
    <Card title="Engagement and risk">
      <div className="grid gap-5">
        <Score
          name="Engagement"
          points={lead.engagement_score}
          bar="bg-accent"
          badge={<EngagementBadge lead={lead} />}
          reasons={engagementReasons(lead)}
          isEmpty="No visits of this person are known."
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
          reasons={riskReasons(lead, followUp)}
          of={followUp && `In the follow-up of ${formatDateTime(followUp.submitted_at)}:`}
          isEmpty="No warning signs."
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
  of,
  isEmpty,
}: {
  name: string;
  points: number;
  bar: string;
  badge: ReactNode;
  reasons: readonly string[];
  /** Where the reasons come from, unless it is the lead as a whole. */
  of?: string | undefined;
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
        <div className="grid gap-1 text-ink-soft">
          {of !== undefined && <p>{of}</p>}
          <ul className="grid gap-1">
            {reasons.map((reason) => (
              <li key={reason} className="flex gap-2">
                <span aria-hidden="true" className="text-ink-faint">
                  ·
                </span>
                {reason}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function engagementReasons(lead: Lead): string[] {
  const reasons: string[] = [];
  if (lead.pages_visited > 0) reasons.push(`Visited ${counted(lead.pages_visited, 'page')}`);
  if (lead.session_duration_s > 0)
    reasons.push(`Spent ${formatDuration(lead.session_duration_s * 1000)} on the site`);
  if (lead.return_visits > 0) reasons.push(`Came back ${times(lead.return_visits)}`);
  if (lead.form_submit_count > 1) reasons.push(`Submitted ${counted(lead.form_submit_count, 'form')}`);
  return reasons;
}

/** Friendlier wording for the service's reasons. */
const WORDS: Readonly<Record<string, string>> = {
  'honeypot filled': 'Filled in a hidden field',
  'time to submit missing': 'Time to fill in the form is unknown',
  'VPN suspected': 'Probably uses a VPN or data centre',
  'bot user agent': 'Browser identifies itself as a bot',
  'no contact details': 'No e-mail address or phone number',
};

/** The worst submission, which the risk comes from; undefined if that is the first one. */
function riskyFollowUp({ lead, submissions }: LeadDetail): LeadSubmission | undefined {
  if (lead.suspicion_score === 0) return undefined;
  // Latest first, so this finds the earliest: a later one that is no worse has not changed the reasons.
  const worst = submissions.findLast(({ suspicion_score }) => suspicion_score === lead.suspicion_score);
  return worst?.is_primary_lead === 1 ? undefined : worst;
}

function riskReasons(lead: Lead, followUp: LeadSubmission | undefined): string[] {
  const reasons = lead.suspicion_reasons.split(', ').filter((reason) => reason !== '');
  const worded = reasons.map((reason) => WORDS[reason] ?? reason.slice(0, 1).toUpperCase() + reason.slice(1));
  if (lead.vpn_suspected === 1 && !reasons.includes('VPN suspected'))
    worded.push(WORDS['VPN suspected'] ?? '');
  // The time is always that of the first submission, and not a reason without a risk.
  const isOfFirst = lead.suspicion_score > 0 && followUp === undefined;
  const isTimeSaid = reasons.some((reason) => reason.startsWith('submitted in under'));
  if (isOfFirst && lead.time_to_submit_s !== null && !isTimeSaid)
    worded.push(`Took ${formatDuration(lead.time_to_submit_s * 1000)} to fill in the form`);
  return worded;
}

function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${formatNumber(count)} times`;
}
