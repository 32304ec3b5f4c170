import type { SavedView } from '@leadtrail/contract/saved-views';
import type { SavedViewPage } from '@leadtrail/contract/view-pages';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Bookmark, BookmarkPlus, Check, Pencil, RefreshCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useIsAdmin } from '../../api/role.ts';
import { Button } from '../../ui/button.tsx';
import { Menu, type MenuEntry } from '../../ui/menu.tsx';
import { toastProblem, toasts, toastWithUndo } from '../../ui/toast.tsx';
import { ViewNameDialog } from './view-name-dialog.tsx';
import { isSameView, searchOfView, viewSearch } from './view-search.ts';

/** A menu of a page's saved views; admins save, rename, replace and delete them. */
export function SavedViews({ page }: { page: SavedViewPage }) {
  const isAdmin = useIsAdmin();
  const navigate = useNavigate();
  const search = viewSearch(useSearch({ strict: false }));
  const { data: views = [] } = useQuery({
    queryKey: queryKeys.savedViews(page),
    queryFn: async ({ signal }) => (await call('savedViews', { query: { page }, signal })).views,
  });
  const [naming, setNaming] = useState<'save' | 'rename'>();
  // The last opened view, which can be replaced by what is shown now.
  const [openedId, setOpenedId] = useState<string>();
  const current = views.find((view) => isSameView(view.search, search));
  const opened = current ?? views.find(({ id }) => id === openedId);
  const change = useChange(page);

  function open(view: SavedView) {
    setOpenedId(view.id);
    void navigate({ to: `/${page}`, search: searchOfView(view.search) as never });
  }
  async function save(name: string) {
    const body = { page, name, search };
    const saved = await change(() => call('saveView', { body }));
    setOpenedId(saved.id);
    toasts.add({ title: `View “${name}” saved for everyone` });
  }
  async function rename(view: SavedView, name: string) {
    await change(() => call('updateView', { params: { id: view.id }, body: { name } }));
  }
  async function replace(view: SavedView) {
    await change(() => call('updateView', { params: { id: view.id }, body: { search } }));
    toasts.add({ title: `View “${view.name}” updated` });
  }
  async function remove({ id, name, search: shown }: SavedView) {
    await change(() => call('deleteView', { params: { id } }));
    toastWithUndo(
      `View “${name}” deleted`,
      () => void change(() => call('saveView', { body: { page, name, search: shown } })).catch(() => {}),
    );
  }

  const ofAdmin: MenuEntry[] = [
    ...(current === undefined
      ? [
          {
            label: 'Save this view…',
            icon: <BookmarkPlus aria-hidden="true" />,
            onSelect: () => setNaming('save'),
          },
        ]
      : []),
    ...(opened !== undefined && current === undefined
      ? [
          {
            label: `Update “${opened.name}”`,
            icon: <RefreshCw aria-hidden="true" />,
            onSelect: () => void replace(opened).catch(() => {}),
          },
        ]
      : []),
    ...(current === undefined
      ? []
      : [
          {
            label: `Rename “${current.name}”…`,
            icon: <Pencil aria-hidden="true" />,
            onSelect: () => setNaming('rename'),
          },
          {
            label: `Delete “${current.name}”`,
            icon: <Trash2 aria-hidden="true" />,
            isDangerous: true,
            onSelect: () => void remove(current).catch(() => {}),
          },
        ]),
  ];
  if (views.length === 0 && !isAdmin) return null;
  return (
    <>
      <Menu
        trigger={
          <Button
            look={current === undefined ? 'secondary' : 'primary'}
            className="max-w-52 shrink-0"
            icon={<Bookmark aria-hidden="true" />}
          >
            <span className="truncate">{current?.name ?? 'Saved views'}</span>
          </Button>
        }
        entries={[
          ...views.map((view) => ({
            label: <span className="max-w-60 truncate">{view.name}</span>,
            icon:
              view === current ? <Check aria-hidden="true" /> : <Bookmark aria-hidden="true" opacity={0.6} />,
            onSelect: () => open(view),
          })),
          ...(isAdmin ? ofAdmin : []),
        ]}
      />
      <ViewNameDialog
        title="Save this view"
        others={views}
        isOpen={naming === 'save'}
        onClose={() => setNaming(undefined)}
        onName={save}
      />
      <ViewNameDialog
        title="Rename view"
        named={current}
        others={views.filter((view) => view !== current)}
        isOpen={naming === 'rename'}
        onClose={() => setNaming(undefined)}
        onName={async (name) => current && rename(current, name)}
      />
    </>
  );
}

/** Reports a failure, and always refetches the views. */
function useChange(page: SavedViewPage) {
  const client = useQueryClient();
  return async <T,>(change: () => Promise<T>): Promise<T> => {
    try {
      return await change();
    } catch (error) {
      toastProblem('The view was not changed', error);
      throw error;
    } finally {
      await client.invalidateQueries({ queryKey: queryKeys.savedViews(page) });
    }
  };
}
