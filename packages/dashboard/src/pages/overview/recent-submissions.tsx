import { Link } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import { Loaded } from '../../charts/loaded.tsx';
import { optionLabel } from '../../frame/option-label.tsx';
import { BotAndTest } from '../../shared/bot-and-test.tsx';
import { personName } from '../../shared/person-name.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState, SkeletonRows } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useRecentSubmissions } from './queries.ts';

export function RecentSubmissions() {
  const recent = useRecentSubmissions();
  return (
    <Card
      title="Recent submissions"
      // Personal names do not belong in a report.
      className="print:hidden"
      isFlush
      actions={
        <Link to="/submissions" className="text-[0.8125rem] font-medium text-accent-text hover:underline">
          See all
        </Link>
      }
    >
      <Loaded query={recent} outline={<SkeletonRows rows={5} />}>
        {(submissions) =>
          submissions.length === 0 ? (
            <EmptyState icon={<Inbox aria-hidden="true" />} title="No submissions yet">
              Submissions appear here as soon as someone sends one of your forms.
            </EmptyState>
          ) : (
            <ul className="divide-y divide-line border-t border-line">
              {submissions.map((each) => (
                <li key={each.submission_id}>
                  <Link
                    to="/leads/$leadId"
                    params={{ leadId: String(each.lead_id) }}
                    className="flex items-center justify-between gap-4 px-4 py-3 -outline-offset-2 hover:bg-sunken/50 sm:px-5"
                  >
                    <span className="grid min-w-0">
                      <span className="truncate font-medium">{personName(each)}</span>
                      <span className="truncate text-[0.8125rem] text-ink-soft">
                        {optionLabel('project', each.project_name) || 'No project'}
                      </span>
                    </span>
                    <span className="grid shrink-0 justify-items-end gap-0.5 text-[0.8125rem] text-ink-soft">
                      <Time value={each.submitted_at} isAgo />
                      <span className="flex flex-wrap justify-end gap-1">
                        <BotAndTest of={each} />
                        {each.is_follow_up && <Badge>Follow-up</Badge>}
                      </span>
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
