import { LogOut } from 'lucide-react';
import { useRole } from '../../api/role.ts';
import { signOut } from '../../shared/sign-out.ts';
import { chooseTheme, THEMES, useTheme } from '../../theme.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConnectionCard } from './connection-card.tsx';

export function AccountSection() {
  return (
    <>
      <SignedIn />
      <Appearance />
      <Keys />
      <ConnectionCard />
    </>
  );
}

function SignedIn() {
  const role = useRole();
  return (
    <Card title="Signed in">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="flex flex-wrap items-center gap-2 text-ink-soft">
          You are using the <Badge tone="accent">{role === 'marketing' ? 'Marketing' : 'Admin'} key</Badge>
        </p>
        <Button icon={<LogOut aria-hidden="true" />} onClick={signOut}>
          Sign out
        </Button>
      </div>
    </Card>
  );
}

function Appearance() {
  const chosen = useTheme();
  return (
    <Card title="Appearance" hint="For this browser only.">
      <fieldset className="grid gap-2 sm:grid-cols-3">
        <legend className="sr-only">Theme</legend>
        {THEMES.map(({ theme, label, icon: Icon }) => (
          <label
            key={theme}
            className="flex h-11 cursor-pointer items-center gap-2.5 rounded-lg border border-line-strong px-3 font-medium has-checked:border-accent has-checked:bg-accent-soft has-checked:text-accent-text has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="theme"
              className="sr-only"
              checked={theme === chosen}
              onChange={() => chooseTheme(theme)}
            />
            <Icon aria-hidden="true" className="size-4" />
            {label}
          </label>
        ))}
      </fieldset>
    </Card>
  );
}

const KEYS = [
  {
    name: 'ANALYTICS_API_KEY',
    title: 'Admin key',
    what: 'Can see and change everything, including these settings.',
  },
  {
    name: 'ANALYTICS_MARKETING_API_KEY',
    title: 'Marketing key',
    what: 'Can see leads and figures and move leads between stages. Cannot change settings or delete anything.',
  },
] as const;

function Keys() {
  return (
    <Card
      title="Dashboard keys"
      hint="They cannot be changed here, so that no one who gets in can lock others out."
    >
      <div className="grid gap-4">
        <dl className="grid gap-4">
          {KEYS.map(({ name, title, what }) => (
            <div key={name} className="grid gap-0.5">
              <dt className="flex flex-wrap items-center gap-x-2 font-medium">
                {title} <code className="font-mono text-xs font-normal text-ink-soft">{name}</code>
              </dt>
              <dd className="text-ink-soft">{what}</dd>
            </div>
          ))}
        </dl>
        <p className="text-ink-soft">
          To change them, set both in the service’s environment and restart it. Without an admin key there,
          both are generated on the first start and saved in{' '}
          <code className="font-mono text-xs">data/keys.json</code>.
        </p>
      </div>
    </Card>
  );
}
