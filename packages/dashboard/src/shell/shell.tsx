import { Dialog } from '@base-ui/react/dialog';
import { Outlet } from '@tanstack/react-router';
import { LogOut, Menu as MenuIcon, Monitor, X } from 'lucide-react';
import { useState } from 'react';
import { useRole } from '../api/role.ts';
import { useWorkspaceTimes } from '../frame/use-workspace.ts';
import icon from '../icon.svg';
import { signOut } from '../shared/sign-out.ts';
import { chooseTheme, THEMES, useTheme } from '../theme.ts';
import { Button } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { GeoCredit } from './geo-credit.tsx';
import { Navigation } from './navigation.tsx';
import { PageAnnouncer } from './page-announcer.tsx';
import { PaletteKey } from './palette-key.tsx';

export function Shell() {
  useWorkspaceTimes();
  return (
    <div className="grid min-h-dvh lg:grid-cols-[15rem_minmax(0,1fr)] print:block print:min-h-0">
      <a
        href="#content"
        className="sr-only print:hidden focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-50 focus:rounded-lg focus:bg-raised focus:px-4 focus:py-2 focus:shadow-raised"
      >
        Skip to content
      </a>
      <PageAnnouncer />
      <PaletteKey />
      <aside className="sticky top-0 hidden h-dvh flex-col justify-between gap-6 overflow-y-auto border-r border-line bg-surface px-3 py-4 lg:flex print:hidden">
        <div className="grid gap-6">
          <Brand />
          <Navigation />
        </div>
        <Viewer />
      </aside>
      <div className="flex min-w-0 flex-col">
        <header className="sticky top-0 z-30 flex h-14 items-center justify-between border-b border-line bg-surface/90 px-4 backdrop-blur lg:hidden print:hidden">
          <Brand />
          <PhoneNavigation />
        </header>
        <main id="content" tabIndex={-1} className="min-w-0 flex-1 outline-none">
          <Outlet />
        </main>
        <GeoCredit />
      </div>
    </div>
  );
}

function Brand() {
  return (
    <p className="flex items-center gap-2.5 px-2 text-base font-semibold tracking-tight">
      <img src={icon} alt="" className="size-7" />
      Leadtrail
    </p>
  );
}

function PhoneNavigation() {
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger
        render={<Button look="ghost" aria-label="Menu" icon={<MenuIcon aria-hidden="true" />} />}
      />
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup className="fixed inset-y-0 right-0 z-40 flex w-72 max-w-[85vw] flex-col justify-between gap-6 overflow-y-auto border-l border-line bg-surface p-3 outline-none">
          <div className="grid gap-4">
            <div className="flex items-center justify-between">
              <Dialog.Title className="px-3 text-base">Menu</Dialog.Title>
              <Dialog.Close
                render={<Button look="ghost" aria-label="Close menu" icon={<X aria-hidden="true" />} />}
              />
            </div>
            <Navigation onNavigate={() => setOpen(false)} />
          </div>
          <Viewer />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Viewer() {
  const role = useRole();
  const theme = useTheme();
  const Icon = THEMES.find((each) => each.theme === theme)?.icon ?? Monitor;
  return (
    <div className="flex items-center justify-between gap-2 px-2">
      <p className="truncate text-ink-soft">
        {role === undefined ? '' : role === 'admin' ? 'Admin' : 'Marketing'}
      </p>
      <div className="flex gap-1">
        <Menu
          trigger={
            <Button look="ghost" size="small" aria-label="Appearance" icon={<Icon aria-hidden="true" />} />
          }
          entries={THEMES.map((each) => ({
            label: each.label,
            icon: <each.icon aria-hidden="true" />,
            onSelect: () => chooseTheme(each.theme),
          }))}
        />
        <Button
          look="ghost"
          size="small"
          aria-label="Sign out"
          icon={<LogOut aria-hidden="true" />}
          onClick={signOut}
        />
      </div>
    </div>
  );
}
