import { useSearchParams } from '../../../shared/use-search-params.ts';
import { Card } from '../../../ui/card.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../../ui/states.tsx';
import { TabPanel, Tabs } from '../../../ui/tabs.tsx';
import { OPTION_KINDS, type OptionKind, type SettingsSearch } from '../search.ts';
import { AddOption } from './add-option.tsx';
import { OptionList } from './option-list.tsx';
import { useOptions } from './option-queries.ts';

const NAMES: Readonly<Record<OptionKind, string>> = {
  source: 'Sources',
  country: 'Countries',
  project: 'Projects',
  city: 'Cities',
};
const TABS = OPTION_KINDS.map((kind) => ({ value: kind, label: NAMES[kind] }));

export function OptionsSection() {
  const [{ kind = 'source' }, changeSearch] = useSearchParams<SettingsSearch>();
  const options = useOptions();
  const shown = options.data?.[kind];
  return (
    <Card
      title="Dropdown options"
      hint="The choices for sources, countries, projects and cities, and their order."
    >
      <Tabs
        label="Kind"
        value={kind}
        tabs={TABS}
        onChange={(chosen) =>
          changeSearch({ kind: chosen === 'source' ? undefined : chosen }, { isReplacing: true })
        }
      >
        <TabPanel key={kind} value={kind} className="-mx-4 -mb-4 pt-4 outline-none sm:-mx-5 sm:-mb-5">
          {shown === undefined ? (
            options.isError ? (
              <ErrorState error={options.error} onRetry={() => void options.refetch()} />
            ) : (
              <SkeletonRows rows={6} />
            )
          ) : (
            <>
              <AddOption kind={kind} options={shown} />
              {shown.length === 0 ? (
                <EmptyState title="No options yet">Add the first option above.</EmptyState>
              ) : (
                <OptionList kind={kind} label={NAMES[kind]} options={shown} />
              )}
            </>
          )}
        </TabPanel>
      </Tabs>
    </Card>
  );
}
