import type { QuestionAnswer } from '@leadtrail/contract/questions';
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { call } from '../api/client.ts';
import { type AskedQuestion, queryKeys } from '../api/query-keys.ts';
import { defined } from '../shared/search-params.ts';
import type { FigureSearch } from './figure-search.ts';
import { type Frame, type FrameFilter, type FrameSearch, frameChange, frameOf, OF_VISITS } from './frame.ts';
import { rememberFrame } from './remember.ts';
import type { When } from './when.ts';

export type ChangeFrame = (change: Partial<Frame>) => void;

export const WHEN_DEFAULT: When = 'last_30_days';

/** The frame of the page, and a function that changes it in the address. */
export function useFrame(
  whenDefault: When = WHEN_DEFAULT,
  {
    hasVisitFilters = false,
  }: { /** Keeps filters by dimensions that leads do not have. */ hasVisitFilters?: boolean } = {},
): [Frame, ChangeFrame] {
  const search = useSearch({ strict: false }) as FrameSearch;
  const navigate = useNavigate();
  const changeFrame = useCallback<ChangeFrame>(
    (change) => {
      void navigate({
        to: '.',
        search: (({ offset: _, open: __, ...rest }: object & { offset?: unknown; open?: unknown }) => {
          const next = { ...rest, ...frameChange(change) };
          rememberFrame(next);
          return next;
        }) as never,
        resetScroll: false,
      });
    },
    [navigate],
  );
  const frame = frameOf(search, whenDefault);
  // On other pages they would filter out all leads.
  const filters = frame.filters.filter(({ dimension }) => hasVisitFilters || !OF_VISITS.has(dimension));
  return [{ ...frame, filters }, changeFrame];
}

type QuestionFrame = Pick<AskedQuestion, 'period' | 'compare' | 'filters'>;

/** The parts of a question that the frame gives. */
export function questionFrame(
  { when, compare, sites, filters }: Frame,
  more: readonly FrameFilter[] = [],
): QuestionFrame {
  const [from = '', to] = when.split('..');
  return {
    period: to === undefined ? when : { from, to },
    ...(compare === 'none' || when === 'all' ? {} : { compare }),
    filters: [
      ...(sites.length === 0 ? [] : [['is', 'site', [...sites]]]),
      ...[...filters, ...more].map(({ dimension, value }) => ['is', dimension, [value]]),
    ],
  };
}

/** The parts of a listed figure's question that the frame and the address give. */
export function figureQuestion(frame: Frame, { compared, attribution }: FigureSearch) {
  const { period, compare, filters = [] } = questionFrame(frame);
  // Without a comparison, the period itself.
  const isCompared = compared === true && compare !== undefined;
  return { period, compared: isCompared, filters, ...defined({ compare, attribution }) };
}

export function useAnswer(
  question: AskedQuestion,
  { isEnabled = true }: { isEnabled?: boolean } = {},
): UseQueryResult<QuestionAnswer> {
  return useQuery({ ...answerOptions(question), placeholderData: keepPreviousData, enabled: isEnabled });
}

export function answerOptions(question: AskedQuestion) {
  return {
    queryKey: queryKeys.answer(question),
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<QuestionAnswer> =>
      call('askQuestion', { body: question, signal }),
  };
}
