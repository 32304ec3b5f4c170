import type { QuestionAnswer } from '@leadtrail/contract/questions';
import { formatDay } from '../../format.ts';
import { eachDay, hourIn, todayIn } from '../../frame/days.ts';

/** The points of a chart: fills the gaps of an answer, which leaves out empty days and hours. */

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

export type Points = {
  names: string[];
  /** The index of the unfinished one. */
  running: number | undefined;
  /** Null: still to come. */
  values: (number | null)[];
};

export function pointsOf(answer: QuestionAnswer, isHours: boolean): Points {
  const { period, timezone, as_of, partial } = answer.meta;
  const now = Date.parse(as_of);
  const keys = keysOf(answer, isHours);
  const current = isHours ? hourIn(timezone, now) : todayIn(timezone, now);
  const isOpen = partial && (!isHours || todayIn(timezone, now) === period.from);
  const index = isOpen ? keys.indexOf(current) : -1;
  const values = valuesOf(answer, isHours).map((value, at) => (index !== -1 && at > index ? null : value));
  return {
    names: keys.map((key) => (isHours ? `${key}:00` : formatDay(key))),
    running: index === -1 ? undefined : index,
    values,
  };
}

/** Days, or the hours of one day. */
export function keysOf({ meta }: QuestionAnswer, isHours: boolean): readonly string[] {
  return isHours ? HOURS : eachDay(meta.period);
}

export function valuesOf(answer: QuestionAnswer, isHours: boolean): number[] {
  const { rows } = answer;
  const byKey = new Map(rows.map(({ dimensions: [key = ''], metrics: [value] }) => [key, value ?? 0]));
  return keysOf(answer, isHours).map((key) => byKey.get(key) ?? 0);
}
