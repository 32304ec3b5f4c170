import { LEAD_STATUSES, type LeadStatus } from '@leadtrail/contract/lead-status';
import { useId } from 'react';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { statusName } from '../../../ui/status-badge.tsx';

/** Some of the stages of a lead. */
export function StagesField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: readonly LeadStatus[];
  onChange: (stages: LeadStatus[]) => void;
}) {
  const id = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 text-[0.8125rem] font-medium">{label}</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-2">
        {LEAD_STATUSES.map((stage) => (
          <label key={stage} htmlFor={`${id}-${stage}`} className="flex items-center gap-2">
            <Checkbox
              id={`${id}-${stage}`}
              label={statusName(stage)}
              isChecked={value.includes(stage)}
              onChange={(isChecked) =>
                onChange(LEAD_STATUSES.filter((each) => (each === stage ? isChecked : value.includes(each))))
              }
            />
            {statusName(stage)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
