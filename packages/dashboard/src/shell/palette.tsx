import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { LogOut, Moon, Send, Sun, User, Users } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useDeferredValue, useId, useState } from 'react';
import { call } from '../api/client.ts';
import { queryKeys } from '../api/query-keys.ts';
import { useIsAdmin } from '../api/role.ts';
import { personName } from '../shared/person-name.ts';
import { settingsPlace } from '../shared/settings-place.ts';
import { signOut } from '../shared/sign-out.ts';
import { chooseTheme } from '../theme.ts';
import { classes } from '../ui/classes.ts';
import { Dialog } from '../ui/dialog.tsx';
import { INPUT_CLASSES } from '../ui/field.tsx';
import { ENTRIES, SETTINGS } from './navigation.tsx';

type Found = { key: string; label: string; hint: string; icon: ReactNode; act: () => void };

const PEOPLE_MAX = 8;
const QUERY_CHARS_MIN = 2;

/** Goes to a person, a page or an action by a few letters. */
export function Palette({
  typed,
  onType,
  onReady,
  onClose,
}: {
  typed: string;
  onType: (typed: string) => void;
  /** The field has the focus. */
  onReady: () => void;
  onClose: () => void;
}) {
  const [at, setAt] = useState(0);
  const id = useId();
  const found = useFound(typed.trim(), onClose);
  const current = Math.min(at, found.length - 1);

  function onKeyDown(event: KeyboardEvent) {
    const to = { ArrowDown: current + 1, ArrowUp: current - 1, Home: 0, End: found.length - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(to, found.length - 1)));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      found[current]?.act();
    }
  }

  return (
    <Dialog isOpen onClose={onClose} title="Go to">
      <input
        role="combobox"
        aria-label="Person, page or action"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${current}`}
        autoComplete="off"
        placeholder="Person, page or action"
        value={typed}
        onChange={(event) => {
          onType(event.target.value);
          setAt(0);
        }}
        onFocus={({ target }) => {
          target.setSelectionRange(target.value.length, target.value.length);
          onReady();
        }}
        onKeyDown={onKeyDown}
        className={INPUT_CLASSES}
      />
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label="Found"
        className="grid max-h-80 gap-0.5 overflow-y-auto"
      >
        {found.map(({ key, label, hint, icon, act }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: The keys are those of the field, which keeps the focus.
          <div
            key={key}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            onClick={act}
            onPointerMove={() => setAt(index)}
            className={classes(
              'flex min-h-10 cursor-default items-center gap-3 rounded-md px-2.5 [&_svg]:size-4 [&_svg]:shrink-0',
              index === current && 'bg-sunken shadow-[inset_3px_0_var(--accent)]',
            )}
          >
            {icon}
            <span className="min-w-0 truncate">{label}</span>
            <span className="ml-auto shrink-0 text-xs text-ink-soft">{hint}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="text-ink-soft">Nothing found.</p>}
    </Dialog>
  );
}

function useFound(typed: string, onClose: () => void): Found[] {
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const people = usePeople(typed);
  const then = (act: () => void) => () => {
    onClose();
    act();
  };
  const pages = [...ENTRIES, ...(isAdmin ? [SETTINGS] : [])].map(
    ({ to, label, icon: Icon }): Found => ({
      key: to,
      label,
      hint: 'Page',
      icon: <Icon aria-hidden="true" />,
      act: then(() => void navigate({ to })),
    }),
  );
  const actions: Found[] = [
    action('Leads to review', <Users aria-hidden="true" />, () =>
      navigate({ to: '/leads', search: { seen: false } }),
    ),
    action('Failed deliveries', <Send aria-hidden="true" />, () =>
      navigate({ to: '/deliveries', search: { status: 'failed', when: 'all', sites: undefined } as never }),
    ),
    ...(isAdmin
      ? [action('Add a site', <SETTINGS.icon aria-hidden="true" />, () => navigate(settingsPlace('sites')))]
      : []),
    action('Light appearance', <Sun aria-hidden="true" />, () => chooseTheme('light')),
    action('Dark appearance', <Moon aria-hidden="true" />, () => chooseTheme('dark')),
    action('Sign out', <LogOut aria-hidden="true" />, signOut),
  ];
  function action(label: string, icon: ReactNode, act: () => unknown): Found {
    return { key: label, label, hint: 'Action', icon, act: then(() => void act()) };
  }
  const wanted = typed.toLowerCase();
  const named = [...pages, ...actions].filter(({ label }) => label.toLowerCase().includes(wanted));
  const persons = people.map(
    (lead): Found => ({
      key: `lead ${lead.lead_id}`,
      label: personName(lead),
      hint: lead.project_name || 'Lead',
      icon: <User aria-hidden="true" />,
      act: then(() => void navigate({ to: '/leads/$leadId', params: { leadId: String(lead.lead_id) } })),
    }),
  );
  return [...named, ...persons];
}

function usePeople(typed: string) {
  const q = useDeferredValue(typed);
  const { data } = useQuery({
    queryKey: queryKeys.people(q),
    queryFn: ({ signal }) => call('leads', { query: { q, limit: PEOPLE_MAX }, signal }),
    enabled: q.length >= QUERY_CHARS_MIN,
    placeholderData: (before) => before,
  });
  return q.length >= QUERY_CHARS_MIN ? (data?.leads ?? []) : [];
}
