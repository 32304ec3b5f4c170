import { useQuery } from '@tanstack/react-query';
import { Bookmark, Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { formatShort } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { toastWithUndo } from '../../ui/toast.tsx';
import { toReviewOptions } from './queries.ts';
import type { LeadsSearch, LeadsView } from './search.ts';
import { SearchLink, SearchLinks } from './search-link.tsx';
import { ViewNameDialog } from './view-name-dialog.tsx';
import {
  deleteView,
  isWorthSaving,
  PRESETS,
  presetOf,
  renameView,
  restoreView,
  type SavedView,
  savedViewOf,
  savedViews,
  saveView,
  useSavedViews,
} from './views.ts';

/** Presets and saved views; the current one can be saved, renamed and deleted. */
export function ViewBar({ search }: { search: LeadsSearch }) {
  const saved = useSavedViews();
  const current = savedViewOf(search, saved);
  const preset = current === undefined ? presetOf(search) : undefined;
  const { data: toReview = 0 } = useQuery(toReviewOptions);
  const [naming, setNaming] = useState<'save' | 'rename'>();

  return (
    <div className="flex min-w-0 items-center gap-2">
      <SearchLinks label="Views">
        {PRESETS.map(({ name, view }) => (
          <SearchLink
            key={name}
            search={presetSearch(view, search, current !== undefined)}
            isCurrent={preset?.name === name}
          >
            {name}
            {view.seen === false && toReview > 0 && (
              <span className="rounded-full bg-accent-soft px-1.5 text-xs text-accent-text tabular-nums">
                {formatShort(toReview)}
              </span>
            )}
          </SearchLink>
        ))}
        {saved.map(({ id, name, view }) => (
          <SearchLink key={id} search={withLimit(view, search)} isCurrent={id === current?.id}>
            <Bookmark aria-hidden="true" className="opacity-60" />
            <span className="max-w-40 truncate">{name}</span>
          </SearchLink>
        ))}
      </SearchLinks>
      {current !== undefined && (
        <Menu
          trigger={
            <Button
              look="ghost"
              size="small"
              aria-label={`View ${current.name}`}
              icon={<Ellipsis aria-hidden="true" />}
            />
          }
          entries={[
            {
              label: 'Rename view',
              icon: <Pencil aria-hidden="true" />,
              onSelect: () => setNaming('rename'),
            },
            {
              label: 'Delete view',
              icon: <Trash2 aria-hidden="true" />,
              isDangerous: true,
              onSelect: () => deleteWithUndo(current),
            },
          ]}
        />
      )}
      {current === undefined && isWorthSaving(search) && (
        <Button
          look="ghost"
          size="small"
          icon={<Bookmark aria-hidden="true" />}
          onClick={() => setNaming('save')}
        >
          <span className="max-sm:sr-only">Save view</span>
        </Button>
      )}
      <ViewNameDialog
        title="Save this view"
        isOpen={naming === 'save'}
        onClose={() => setNaming(undefined)}
        onName={(name) => saveView(name, search)}
      />
      <ViewNameDialog
        title="Rename view"
        named={current}
        isOpen={naming === 'rename'}
        onClose={() => setNaming(undefined)}
        onName={(name) => current && renameView(current.id, name)}
      />
    </div>
  );
}

/** Keeps search and order, unless they belong to a saved view. A preset of one stage is a table. */
function presetSearch(view: LeadsView, search: LeadsSearch, isFresh: boolean): LeadsSearch {
  const { layout, q, sort } = search;
  return withLimit(
    {
      ...view,
      ...(layout === undefined || view.status !== undefined ? {} : { layout }),
      ...(q === undefined || isFresh ? {} : { q }),
      ...(sort === undefined || isFresh ? {} : { sort }),
    },
    search,
  );
}

function withLimit(view: LeadsView, { limit }: LeadsSearch): LeadsSearch {
  return limit === undefined ? view : { ...view, limit };
}

function deleteWithUndo(view: SavedView): void {
  const index = savedViews().findIndex(({ id }) => id === view.id);
  deleteView(view.id);
  toastWithUndo(`View “${view.name}” deleted`, () => restoreView(view, index));
}
