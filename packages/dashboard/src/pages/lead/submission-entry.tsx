import { Inbox } from 'lucide-react';
import { optionLabel } from '../../frame/option-label.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { riskOf } from '../../ui/risk.ts';
import { SentValues } from '../../ui/sent-values.tsx';
import { WebLink } from '../../ui/web-link.tsx';
import type { Lead, LeadSubmission } from './data.ts';
import { EntryFrame } from './entry.tsx';

export function SubmissionEntry({
  submission,
  lead,
  at,
}: {
  submission: LeadSubmission;
  lead: Lead;
  at: number;
}) {
  const isPrimary = submission.is_primary_lead === 1;
  const payload = parsed(submission.payload_json);
  const message = messageIn(payload);
  return (
    <EntryFrame
      icon={<Inbox aria-hidden="true" />}
      tone={isPrimary ? 'accent' : 'info'}
      title={isPrimary ? 'First submission' : 'Follow-up'}
      at={at}
      badges={
        <>
          {submission.is_duplicate_window === 1 && (
            <Badge title="Sent shortly after the previous one">Duplicate</Badge>
          )}
          {submission.is_ip_blocked === 1 && <Badge tone="negative">IP blocked</Badge>}
          {submission.suspicion_score > 0 && (
            <Badge tone={riskOf(submission.suspicion_score).tone}>Risk {submission.suspicion_score}</Badge>
          )}
        </>
      }
    >
      {message !== undefined && (
        <blockquote className="rounded-lg bg-sunken px-3.5 py-2.5">
          <LongText>{message}</LongText>
        </blockquote>
      )}
      <Facts facts={factsOf(submission, lead)} />
      <Disclosure title="All submitted data">
        <div className="rounded-lg border border-line p-3 sm:p-3.5">
          <SentValues value={payload} />
        </div>
      </Disclosure>
    </EntryFrame>
  );
}

const MESSAGES = ['user_message', 'message'];

/** Field names are case-insensitive. */
function messageIn(payload: unknown): string | undefined {
  const found = Object.entries(Object(payload)).find(
    ([name, value]) => MESSAGES.includes(name.toLowerCase()) && typeof value === 'string' && value !== '',
  );
  return found?.[1] as string | undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function factsOf(submission: LeadSubmission, lead: Lead): Fact[] {
  const { contact_name } = submission;
  const facts: [string, Fact['value']][] = [
    ['Name', contact_name === lead.contact_name ? '' : contact_name],
    ['Project', optionLabel('project', submission.project_name)],
    ['Source', optionLabel('source', submission.source)],
    ['Button', submission.cta_name],
    ['IP address', submission.contact_ip],
    ['CRM ID', submission.crm_lead_id ?? ''],
    ['Page', submission.referer === '' ? '' : <WebLink key="page" address={submission.referer} />],
  ];
  return facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ({ name, value, isWide: name === 'Page' }));
}
