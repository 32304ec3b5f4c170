type Options = Record<string, { value: string; label: string }[]>;

/** Fills `<select data-leadtrail-options="city">` with the options of the dashboard, after those of the page. */
export function fillOptions(form: HTMLFormElement, options: Options): void {
  for (const select of form.querySelectorAll<HTMLSelectElement>('select[data-leadtrail-options]')) {
    const present = [...select.options].map(({ value }) => value);
    for (const { value, label } of options[select.dataset.leadtrailOptions as string] ?? [])
      if (!present.includes(value)) select.add(new Option(label, value));
  }
}
