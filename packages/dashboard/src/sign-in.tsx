import { type FormEvent, useState } from 'react';
import { ApiProblem, send } from './api/client.ts';
import { isKeyRefused, keepKey } from './api/key.ts';
import type { Role } from './api/role.ts';
import icon from './icon.svg';
import { Button } from './ui/button.tsx';
import { Field, TextInput } from './ui/field.tsx';

const SENDABLE = /^[\x21-\x7e]+$/;

export function SignIn() {
  const [key, setKey] = useState('');
  const [isRemembered, setRemembered] = useState(false);
  const [error, setError] = useState(
    isKeyRefused() ? 'Your key is no longer valid. Sign in again.' : undefined,
  );
  const [isBusy, setBusy] = useState(false);

  async function signIn(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      // Characters outside ASCII, such as a pasted dash, cannot be sent in a header.
      if (!SENDABLE.test(key.trim())) throw new ApiProblem(401, '');
      const answer = await send('GET', '/analytics/whoami', { key: key.trim() });
      const { role } = (await answer.json()) as { role: Role };
      // The token of a shared link opens its own pages only.
      if (role === 'shared') throw new ApiProblem(401, '');
      keepKey(key.trim(), { isRemembered });
    } catch (problem) {
      const isWrong = problem instanceof ApiProblem && problem.status === 401;
      setError(isWrong ? 'This key is not valid. Check it and try again.' : (problem as Error).message);
      setBusy(false);
    }
  }

  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <form
        onSubmit={signIn}
        className="grid w-full max-w-sm gap-5 rounded-2xl border border-line bg-surface p-6 shadow-raised sm:p-8"
      >
        <div className="grid gap-1">
          <h1 className="flex items-center gap-2.5 text-xl">
            <img src={icon} alt="" className="size-8" />
            Leadtrail
          </h1>
          <p className="text-ink-soft">Sign in with the admin key or the marketing key.</p>
        </div>
        <Field
          label="API key"
          error={error}
          hint="The first start prints the admin key and saves it in data/keys.json."
        >
          {(tied) => (
            <TextInput
              {...tied}
              type="password"
              name="key"
              autoComplete="current-password"
              autoFocus
              required
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
        <label className="flex items-center gap-2.5 text-ink-soft">
          <input
            type="checkbox"
            checked={isRemembered}
            onChange={(event) => setRemembered(event.target.checked)}
            className="size-[1.125rem]"
          />
          Keep me signed in on this device
        </label>
        <Button look="primary" type="submit" isBusy={isBusy}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
