import { CHANNELS } from '@leadtrail/contract/channels';
import { ENGAGEMENT_LABELS } from '@leadtrail/contract/engagement';
import { DELIVERY_STATES } from '@leadtrail/contract/lead-records';
import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import { LEAD_SORTS } from '@leadtrail/contract/leads';
import {
  ATTRIBUTIONS,
  COMPARISONS,
  DIMENSION_NAMES,
  LEAD_METRICS,
  METRIC_NAMES,
  PERIOD_NAMES,
  VISIT_METRICS,
} from '@leadtrail/contract/question-fields';
import { SUBMISSION_SORTS } from '@leadtrail/contract/submissions';
import {
  ADMIN,
  type AnyRequest,
  EVENTS,
  get,
  type Known,
  type Make,
  orElse,
  PROJECTS,
  post,
  SITES,
  some,
  times,
  visitor,
} from './random-requests.ts';
import type { Random } from './torture/random.ts';

/** One that changes nothing. */
export function someRead(random: Random, known: Known): AnyRequest {
  return random.pick(random.chance(0.5) ? LEAD_READS : OTHER_READS)(random, known);
}

/** One that is answered from the copy. */
export function someQuestion(random: Random, known: Known): AnyRequest {
  return random.pick(QUESTIONS)(random, known);
}

/** How many of them are asked for at once. */
const PAGED = '?limit=100';

const filters = (random: Random) =>
  random.chance(0.4)
    ? [
        random.pick([
          ['is', 'project', [random.pick(PROJECTS)]],
          ['contains', 'entry_page', ['hill']],
          ['not', ['is', 'country', ['DE', '']]],
          ['is_not', 'channel', [random.pick(CHANNELS)]],
          [
            'or',
            [
              ['is', 'site', [random.pick(SITES)]],
              ['is', 'event', [random.pick(EVENTS)]],
            ],
          ],
          ['is', 'stage', ['won', 'lost']],
        ]),
      ]
    : [];

const asked = (random: Random) => ({
  period: random.pick([...PERIOD_NAMES, 'last_3_days']),
  filters: filters(random),
  ...(random.chance(0.3) ? { compare: random.pick(COMPARISONS) } : {}),
  ...(random.chance(0.2) ? { timezone: random.pick(['Asia/Kolkata', 'America/New_York']) } : {}),
  limit: 100,
});

const QUESTIONS: readonly [Make, ...Make[]] = [
  ask,
  ask,
  ask,
  (random) =>
    post(
      '/analytics/query/leads',
      {
        ...asked(random),
        metric: random.pick(LEAD_METRICS),
        attribution: random.pick(ATTRIBUTIONS),
      },
      ADMIN,
    ),
  (random) =>
    post(
      '/analytics/query/visits',
      { ...asked(random), metric: random.pick(VISIT_METRICS), goal: random.pick(EVENTS) },
      ADMIN,
    ),
  (random) =>
    post(
      '/analytics/query/submissions',
      { ...asked(random), metric: 'submissions', attribution: random.pick(ATTRIBUTIONS) },
      ADMIN,
    ),
];

function ask(random: Random): AnyRequest {
  return post(
    '/analytics/query',
    {
      ...asked(random),
      metrics: [...new Set([random.pick(METRIC_NAMES), random.pick(METRIC_NAMES)])],
      dimensions: [
        ...new Set(Array.from({ length: random.between(0, 2) }, () => random.pick(DIMENSION_NAMES))),
      ],
      attribution: random.pick(ATTRIBUTIONS),
      goal: random.pick(EVENTS),
    },
    random.chance(0.1) ? { ...ADMIN, accept: 'text/csv' } : ADMIN,
  );
}

const LEAD_FILTERS: readonly [(random: Random) => string, ...((random: Random) => string)[]] = [
  () => '',
  (random) =>
    `&q=${encodeURIComponent(random.pick(['muller', 'strasse', 'PERSON-1', '98765', 'łuk', '<b>']))}`,
  (random) => `&status=${random.pick(LEAD_STATUSES)}`,
  (random) => `&seen=${random.chance(0.5)}`,
  (random) => `&has_follow_ups=${random.chance(0.5)}`,
  (random) => `&project=${encodeURIComponent(random.pick(PROJECTS))}`,
  (random) => `&source=${random.pick(['website', 'PORTAL'])}`,
  (random) => `&channel=${encodeURIComponent(random.pick(CHANNELS))}`,
  (random) => `&engagement=${encodeURIComponent(random.pick(ENGAGEMENT_LABELS))}`,
  (random) => `&delivery=${random.pick(DELIVERY_STATES)}`,
  (random) => `&site=${random.pick(SITES)}`,
];

const LEAD_READS: readonly [Make, ...Make[]] = [
  leads,
  leads,
  leads,
  (random, { pages }) => get(random.pick(orElse(pages, '/analytics/leads?limit=3'))),
  (random, known) => get(`/analytics/leads/${some(random, known.leads)}?mark_seen=false`),
  (random, known) => get(`/analytics/leads/${some(random, known.leads)}?mark_seen=false`),
  (random) =>
    get(`/analytics/leads/export?format=${random.pick(['csv', 'json'])}${random.pick(LEAD_FILTERS)(random)}`),
  (random) =>
    get(
      `/analytics/leads/submissions${PAGED}&period=range&sort=${random.pick(SUBMISSION_SORTS)}&order=${random.pick(['asc', 'desc'])}` +
        random.pick(['', '&q=strasse', '&q=person-1', `&site=${random.pick(SITES)}`]),
    ),
  () => get('/analytics/leads/recent-submissions'),
  (random) => get(`/analytics/flow-sends${PAGED}${random.pick(['', '&status=failed', '&status=delivered'])}`),
  (random) =>
    get(
      `/analytics/${random.pick(['blocked-ip-leads', 'testing-leads'])}${PAGED}${random.pick(['', '&q=person', '&period=past_7_days'])}`,
    ),
];

function leads(random: Random): AnyRequest {
  const sort = random.pick([...LEAD_SORTS, 'updated'] as const);
  const limit = random.pick([5, 100]);
  return get(`/analytics/leads?limit=${limit}&sort=${sort}${random.pick(LEAD_FILTERS)(random)}`);
}

const FIXED = [
  '/analytics/overview',
  '/analytics/sessions/daily?days=30',
  '/analytics/pages/top',
  '/analytics/geo',
  '/analytics/engagement',
  '/analytics/sources',
  '/analytics/realtime',
  '/analytics/live',
  '/analytics/storage',
  '/analytics/engine/overview?days=30',
  '/analytics/engine/submissions-daily?days=30',
  '/analytics/engine/by-project?days=30',
  '/analytics/engine/by-source?days=30',
  '/analytics/engine/by-engagement?days=30',
  '/analytics/engine/projects',
  '/analytics/engine/sources',
  '/analytics/blocked-ips',
  '/analytics/whitelisted-ips',
  '/analytics/names',
  '/analytics/sites',
  '/analytics/forms',
  '/analytics/integrations',
  '/analytics/shared-links',
  '/analytics/settings',
  '/analytics/dropdown-options',
  '/analytics/views',
  '/analytics/costs',
  '/analytics/retention',
  '/analytics/retention?session_retention_days=3&lead_retention_days=3&set_aside_retention_days=1',
] as const;

const OTHER_READS: readonly [Make, ...Make[]] = [
  (random) => get(`/analytics/forms/${random.between(1, 9)}/fields`),
  ...times(10, (random) => get(random.pick(FIXED))),
  (random) => get(`/forms/config?siteKey=${random.pick(SITES)}&formId=form-1`),
  (random) => get(`/replay/sessions${PAGED}&lead=${random.chance(0.5)}`),
  (random) => get(`/replay/sessions${PAGED}&visitor_id=${visitor(random)}`),
  ...times(2, (random, { recordings }) => get(`/replay/${some(random, recordings)}`)),
];
