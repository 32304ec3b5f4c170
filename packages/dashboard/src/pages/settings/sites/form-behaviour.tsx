import type { AfterSending, FormTexts } from '@leadtrail/contract/form-settings';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { Card } from '../../../ui/card.tsx';
import { Field, TextArea } from '../../../ui/field.tsx';
import { toasts } from '../../../ui/toast.tsx';
import { SelectField } from '../parts/select-field.tsx';
import { SettingsForm } from '../parts/settings-form.tsx';
import { TextField } from '../parts/text-field.tsx';
import { type Draft, useDraft } from '../parts/use-draft.ts';
import { FormSpamCheck, type SpamCheckValues } from './form-spam-check.tsx';
import type { Form } from './site-queries.ts';

type Values = SpamCheckValues & { after_sending: AfterSending; redirect_url: string; texts: FormTexts };

const CHOICES: { value: AfterSending; label: string }[] = [
  { value: 'thank_you_page', label: 'Go to thank-you.html' },
  { value: 'address', label: 'Go to another page' },
  { value: 'text', label: 'Stay and show a text' },
];

/** Without `success`, which has its field beside the choice to stay on the page. */
const TEXTS: { name: Exclude<keyof FormTexts, 'success'>; label: string }[] = [
  { name: 'sending', label: 'While it is being sent' },
  { name: 'error', label: 'When it could not be sent' },
  { name: 'offline', label: 'When the visitor is offline' },
  { name: 'kept', label: 'When it is kept and sent later' },
  { name: 'invalid', label: 'When something was not accepted' },
  { name: 'refused', label: 'When it cannot be sent from the page' },
  { name: 'too_large', label: 'When it is too large' },
];

export function FormBehaviour({ form }: { form: Form }) {
  const queryClient = useQueryClient();
  const { after_sending, redirect_url, texts } = form;
  const { spam_check, spam_check_failed, spam_check_site_key } = form;
  const draft = useDraft<Values, Form>({
    saved: {
      ...{ after_sending, redirect_url, texts },
      ...{ spam_check, spam_check_failed, spam_check_site_key, spam_check_secret: undefined },
    },
    send: ({ changed }) => call('updateForm', { params: { id: form.id }, body: changed }),
    onSaved(saved) {
      queryClient.setQueryData<Form[]>(queryKeys.forms, (forms = []) =>
        forms.map((each) => (each.id === saved.id ? saved : each)),
      );
      void queryClient.invalidateQueries({ queryKey: queryKeys.forms });
      toasts.add({ title: 'Saved' });
    },
  });
  return (
    <SettingsForm draft={draft} label={`Settings of ${form.name}`}>
      <Card title="After sending" hint="What the visitor sees next.">
        <div className="grid gap-4">
          <SelectField
            label="Next step"
            className="max-w-md"
            choices={CHOICES}
            {...draft.field('after_sending')}
          />
          {draft.values.after_sending === 'address' && (
            <TextField
              label="Page"
              placeholder="/danke"
              hint="A path on the site of the form, or a whole address."
              isCode
              {...draft.field('redirect_url')}
            />
          )}
          {draft.values.after_sending === 'text' && <SuccessText draft={draft} />}
        </div>
      </Card>
      <FormSpamCheck draft={draft} isSecretSet={form.spam_check_secret_set} />
      <Card
        title="Texts"
        hint="Shown in the language of the page: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Turkish, Arabic or Hindi. Your own text replaces it."
      >
        <div className="grid gap-4 sm:grid-cols-2">
          {TEXTS.map(({ name, label }) => (
            <TextField
              key={name}
              label={label}
              placeholder="Default text"
              error={undefined}
              value={draft.values.texts[name] ?? ''}
              onChange={(text) => draft.set('texts', withText(draft.values.texts, name, text))}
            />
          ))}
        </div>
      </Card>
    </SettingsForm>
  );
}

function SuccessText({ draft }: { draft: Draft<Values> }) {
  return (
    <Field
      label="Text"
      hint="Replaces the form. Left empty, visitors are thanked in the language of the page."
      error={draft.errorOf('texts')}
    >
      {(tied) => (
        <TextArea
          {...tied}
          value={draft.values.texts.success ?? ''}
          onChange={(event) =>
            draft.set('texts', withText(draft.values.texts, 'success', event.target.value))
          }
        />
      )}
    </Field>
  );
}

/** An empty text restores the default. */
function withText(texts: FormTexts, name: keyof FormTexts, text: string): FormTexts {
  const { [name]: _before, ...others } = texts;
  return text === '' ? others : { ...others, [name]: text };
}
