import type { Frame } from '../../frame/frame.ts';
import { questionFrame, useAnswer } from '../../frame/use-frame.ts';
import { MEASURED_EVENTS } from '../../shared/measured-events.ts';
import { Select } from '../../ui/select.tsx';

/** No event can have this name. */
const NONE = ' ';
const EVENTS_MAX = 200;

/** Selects a goal among the site's own events in the period; hidden if there are none. */
export function GoalSelect({
  frame,
  goal,
  onChange,
}: {
  frame: Frame;
  goal: string | undefined;
  onChange: (goal: string | undefined) => void;
}) {
  const { compare: _compare, ...asked } = questionFrame(frame);
  const { data } = useAnswer({ ...asked, metrics: ['visits'], dimensions: ['event'], limit: EVENTS_MAX });
  const seen = (data?.rows ?? []).map(({ dimensions: [name = ''] }) => name);
  const sent = seen.filter((name) => !MEASURED_EVENTS.has(name)).sort();
  // One that was chosen before may not have happened in this period.
  const offered = goal === undefined || sent.includes(goal) ? sent : [goal, ...sent];
  if (offered.length === 0) return null;
  return (
    <Select
      label="Goal"
      className="sm:w-44"
      value={goal ?? NONE}
      choices={[{ value: NONE, label: 'No goal' }, ...offered.map((value) => ({ value, label: value }))]}
      onChange={(chosen) => onChange(chosen === NONE ? undefined : chosen)}
    />
  );
}
