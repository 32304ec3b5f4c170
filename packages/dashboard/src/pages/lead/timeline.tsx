import { History } from 'lucide-react';
import { useState } from 'react';
import type { ChangeSearch } from '../../shared/use-search-params.ts';
import { useTimeZone } from '../../time-zone.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { classes } from '../../ui/classes.ts';
import { Segments } from '../../ui/segments.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { CrmEntry } from './crm-entry.tsx';
import { type Lead, type LeadDetail, useRecordings } from './data.ts';
import { type LeadSearch, shownKinds, TIMELINE_KINDS, type TimelineKind } from './search.ts';
import { SendEntry } from './send-entry.tsx';
import { SessionEntry } from './session-entry.tsx';
import { StageEntry } from './stage-entry.tsx';
import { SubmissionEntry } from './submission-entry.tsx';
import { daysOf, type Entry, entriesOf, formatDayName } from './timeline-entries.ts';

const ENTRIES_AT_ONCE = 60;
/** The back button leaves the page instead of undoing filters. */
const REPLACING = { isReplacing: true };

const KINDS: Readonly<Record<TimelineKind, string>> = {
  session: 'Visits',
  submission: 'Submissions',
  send: 'Deliveries',
  crm: 'CRM',
  stage: 'Stages',
};

const ORDERS = [
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
] as const;

export function Timeline({
  id,
  detail,
  search,
  onSearch,
}: {
  id: string;
  detail: LeadDetail;
  search: LeadSearch;
  onSearch: ChangeSearch<LeadSearch>;
}) {
  useTimeZone();
  const [shownMax, setShownMax] = useState(ENTRIES_AT_ONCE);
  const recordings = useRecordings(detail);
  const all = entriesOf(detail);
  const kinds = shownKinds(search);
  const matching = all.filter(({ kind }) => kinds.includes(kind));
  const ordered = search.order === 'oldest' ? matching.toReversed() : matching;
  const shown = ordered.slice(0, shownMax);

  return (
    <Card
      title="Timeline"
      actions={
        <Segments
          label="Order"
          value={search.order ?? 'newest'}
          choices={ORDERS}
          onChange={(order) => onSearch({ order: order === 'oldest' ? order : undefined }, REPLACING)}
        />
      }
    >
      <KindChips all={all} kinds={kinds} onShow={(show) => onSearch({ show }, REPLACING)} />
      {shown.length === 0 && (
        <EmptyState
          icon={<History aria-hidden="true" />}
          title={all.length === 0 ? 'Nothing has happened yet' : 'No entries of this kind'}
          action={
            all.length > 0 && (
              <Button onClick={() => onSearch({ show: undefined }, REPLACING)}>Show everything</Button>
            )
          }
        />
      )}
      <div className="grid gap-6">
        {daysOf(shown).map((day) => (
          <section key={day.key} className="grid gap-3">
            <h3 className="text-[0.8125rem] text-ink-soft">{formatDayName(day.at)}</h3>
            <ol className="grid">
              {day.entries.map((entry) => (
                <li key={entry.id} className="group/entry min-w-0">
                  <EntryView
                    id={id}
                    entry={entry}
                    lead={detail.lead}
                    recordings={recordings}
                    onSearch={onSearch}
                  />
                </li>
              ))}
            </ol>
          </section>
        ))}
      </div>
      {ordered.length > shown.length && (
        <div className="mt-5 grid place-items-center">
          <Button onClick={() => setShownMax((max) => max + ENTRIES_AT_ONCE)}>
            Show more of {ordered.length} entries
          </Button>
        </div>
      )}
    </Card>
  );
}

function EntryView({
  id,
  entry,
  lead,
  recordings,
  onSearch,
}: {
  id: string;
  entry: Entry;
  lead: Lead;
  recordings: ReadonlySet<string>;
  onSearch: ChangeSearch<LeadSearch>;
}) {
  switch (entry.kind) {
    case 'session': {
      const { session } = entry;
      const isRecorded = recordings.has(session.session_id);
      const watch = () => onSearch({ replay: session.session_id });
      return <SessionEntry session={session} onWatch={isRecorded ? watch : undefined} />;
    }
    case 'submission':
      return <SubmissionEntry submission={entry.submission} lead={lead} at={entry.at} />;
    case 'send':
      return <SendEntry leadId={id} send={entry.send} at={entry.at} />;
    case 'crm':
      return <CrmEntry activity={entry.activity} at={entry.at} />;
    case 'stage':
      return <StageEntry move={entry.move} at={entry.at} />;
  }
}

/** The first press shows only that kind, further ones toggle. */
function KindChips({
  all,
  kinds,
  onShow,
}: {
  all: readonly Entry[];
  kinds: readonly TimelineKind[];
  onShow: (show: string | undefined) => void;
}) {
  const isAll = kinds.length === TIMELINE_KINDS.length;
  function toggle(kind: TimelineKind) {
    const chosen = isAll ? [kind] : TIMELINE_KINDS.filter((each) => (each === kind) !== kinds.includes(each));
    onShow(chosen.length === 0 ? undefined : chosen.join(','));
  }
  return (
    <fieldset className="mb-5 flex flex-wrap gap-2">
      <legend className="sr-only">Show</legend>
      <Chip isOn={isAll} onClick={() => onShow(undefined)} label="All" count={all.length} />
      {TIMELINE_KINDS.map((kind) => (
        <Chip
          key={kind}
          isOn={!isAll && kinds.includes(kind)}
          onClick={() => toggle(kind)}
          label={KINDS[kind]}
          count={all.filter((entry) => entry.kind === kind).length}
        />
      ))}
    </fieldset>
  );
}

function Chip({
  isOn,
  onClick,
  label,
  count,
}: {
  isOn: boolean;
  onClick: () => void;
  label: string;
  count: number;
}) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onClick}
      className={classes(
        'inline-flex h-8 items-center gap-1.5 rounded-full border px-3 text-[0.8125rem] font-medium max-sm:h-11',
        isOn
          ? 'border-accent bg-accent-soft text-accent-text'
          : 'border-line-strong text-ink-soft hover:bg-sunken hover:text-ink',
      )}
    >
      {label} <span className="tabular-nums">{count}</span>
    </button>
  );
}
