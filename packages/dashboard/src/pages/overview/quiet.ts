import { addDays } from '../../frame/days.ts';

/** What stopped coming, from figures per day. */

export type Quiet = { name: string; lastDay: string };

type Row = { dimensions: readonly string[]; metrics: readonly (number | null)[] };

/** Names that were active on several days, but not on any of the last ones, today included. */
export function goneQuiet(
  rows: readonly Row[],
  { today, quietDays, activeDaysMin }: { today: string; quietDays: number; activeDaysMin: number },
): Quiet[] {
  if (rows.length === 0) return [];
  const quietSince = addDays(today, 1 - quietDays);
  const active = rows.filter(
    ({ dimensions: [name = ''], metrics: [count] }) => !name.startsWith('(') && (count ?? 0) > 0,
  );
  return [...Map.groupBy(active, ({ dimensions: [name = ''] }) => name)].flatMap(([name, days]) => {
    const lastDay =
      days
        .map(({ dimensions: [, day = ''] }) => day)
        .toSorted()
        .at(-1) ?? '';
    return days.length >= activeDaysMin && lastDay < quietSince ? [{ name, lastDay }] : [];
  });
}

/** Has a name, and a plausible e-mail address or phone number. */
export function looksReal(lead: {
  contact_name: string;
  contact_email: string;
  contact_phone: string;
}): boolean {
  const hasEmail = /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/.test(lead.contact_email);
  const hasPhone = lead.contact_phone.replaceAll(/\D/g, '').length >= 7;
  return /\p{L}{2}/u.test(lead.contact_name) && (hasEmail || hasPhone);
}
