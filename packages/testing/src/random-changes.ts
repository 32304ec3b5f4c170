import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import { SENT_FOLLOW_UPS } from '@leadtrail/contract/settings';
import {
  ADMIN,
  type AnyRequest,
  erase,
  FORMS,
  type Known,
  LEAD_CHANGES,
  type Make,
  patch,
  post,
  remove,
  SITES,
  some,
} from './random-requests.ts';
import type { Random } from './torture/random.ts';

/** One that changes something. */
export function someChange(random: Random, known: Known): AnyRequest {
  if (random.chance(ERASURE_SHARE)) return erase(random, known);
  if (random.chance(JOB_SHARE)) return { method: 'JOB', path: random.pick(JOBS), headers: {} };
  return random.pick(random.chance(SETUP_SHARE) ? SETUP_CHANGES : LEAD_CHANGES)(random, known);
}

const ERASURE_SHARE = 0.005;
const JOB_SHARE = 0.05;
const SETUP_SHARE = 0.2;

/** Those whose work shows. */
const JOBS = [
  'end-idle-sessions',
  'archive-sessions',
  'clean-up-tracking',
  'clean-up-crm-events',
  'clean-up-idempotency-keys',
  'forget-callback-ids',
  'trim-answer-changes',
  'retention',
  'limit-replay-storage',
] as const;

const saveSettings: Make = (random) => patch('/analytics/settings', random.pick(SETTINGS)(random));

const SETTINGS: readonly [(random: Random) => object, ...((random: Random) => object)[]] = [
  (random) => ({ flow_send_follow_ups: random.pick(SENT_FOLLOW_UPS) }),
  (random) => ({ flow_send_stage_changes: random.chance(0.5) }),
  (random) => ({ flow_risk_max: random.pick([null, 30, 60]) }),
  (random) => ({ bot_lead_detection: random.pick([null, true, false]) }),
  (random) => ({ duplicate_window_minutes: random.pick([0, 30, 1440]) }),
  (random) => ({ attribution_days: random.pick([1, 7, 90]) }),
  (random) => ({ timezone: random.pick(['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/New_York']) }),
  (random) => ({ currency: random.pick(['EUR', 'inr']) }),
  (random) => ({ portal_domains: random.pick([[], ['news.example.org']]) }),
  (random) => ({ blocked_words: random.pick([[], [], [], ['łukasz']]) }),
  (random) => ({ blocked_phones: random.pick([[], [], [], ['9876543201']]) }),
  (random) => ({ replay_sample_rate: random.pick([0, 1, 1, 1]) }),
  (random) => ({ internal_teams: random.pick([[], ['Sales', 'Presales']]) }),
  (random) => ({ crm_stage_map: [{ field: 'stage', value: 'won', stage: random.pick(LEAD_STATUSES) }] }),
  (random) => ({ session_retention_days: random.pick([null, 10, 30]) }),
  (random) => ({ lead_retention_days: random.pick([null, null, 20]), lead_retention_stages: ['lost'] }),
  (random) => ({ set_aside_retention_days: random.pick([null, 5]) }),
  (random) => ({ unmatched_event_retention_days: random.pick([null, 5]) }),
  (random) => ({ flow_send_body_retention_days: random.pick([null, 5]) }),
];

const importCosts: Make = (random) => ({
  method: 'POST',
  path: `/analytics/costs/import${random.pick(['', '', '?dry_run=true', '?default_source=Facebook&default_medium=cpc'])}`,
  headers: { ...ADMIN, 'content-type': 'text/csv' },
  body: [
    'date,source,medium,campaign,amount',
    ...Array.from({ length: 3 }, () =>
      [
        `2025-1${random.between(0, 2)}-${random.between(10, 28)}`,
        random.pick(['google', 'Facebook']),
        'cpc',
        random.pick(['Spring', '']),
        random.between(0, 10_000) / 100,
      ].join(','),
    ),
  ].join('\n'),
});

/** The number of one of the first few that were made, or of none. */
const aNumber = (random: Random) => random.between(1, 9);

const SETUP_CHANGES: readonly [Make, ...Make[]] = [
  saveSettings,
  saveSettings,
  saveSettings,
  saveSettings,
  importCosts,
  (random, { imports }) => remove(`/analytics/costs/${some(random, imports)}`),
  (random) =>
    post(
      '/analytics/sites',
      { name: `Site ${aNumber(random)}`, site_key: random.pick(SITES), domains: ['example.com'] },
      ADMIN,
    ),
  (random) => patch(`/analytics/sites/${aNumber(random)}`, { name: 'Renamed', enabled: random.chance(0.8) }),
  (random) => (random.chance(0.3) ? remove(`/analytics/sites/${aNumber(random)}`) : saveForm(random)),
  saveForm,
  (random) =>
    patch(`/analytics/forms/${aNumber(random)}`, {
      enabled: random.chance(0.8),
      field_names: random.pick([{}, { budget: 'PHONE' }]),
    }),
  (random) => remove(`/analytics/forms/${aNumber(random)}`),
  (random) => post('/analytics/integrations', { name: `Server ${aNumber(random)}` }, ADMIN),
  // The first is the one that leads come with.
  (random) =>
    patch(`/analytics/integrations/${random.between(2, 9)}`, {
      name: 'Renamed',
      enabled: random.chance(0.5),
    }),
  (random) => remove(`/analytics/integrations/${random.between(2, 9)}`),
  (random) => post(`/analytics/integrations/${random.between(2, 9)}/rotate`, {}, ADMIN),
  (random) => post('/analytics/shared-links', { name: 'Client', sites: [random.pick(SITES)] }, ADMIN),
  (random) => remove(`/analytics/shared-links/${aNumber(random)}`),
  (random) =>
    post(
      '/analytics/dropdown-options',
      {
        kind: random.pick(['city', 'project']),
        value: random.pick(['London', 'Köln', 'koln', 'łódź', 'Zürich']),
        sort_order: random.between(0, 2),
      },
      ADMIN,
    ),
  (random) =>
    patch(`/analytics/dropdown-options/${aNumber(random)}`, { label: random.pick(['Ärzte', 'arzt', 'B']) }),
  (random) => remove(`/analytics/dropdown-options/${aNumber(random)}`),
  (random) =>
    post(
      '/analytics/views',
      { page: 'leads', name: random.pick(['Won', 'ÄPFEL', 'äpfel', 'Zoë']), search: '?status=won' },
      ADMIN,
    ),
  (random, { views }) =>
    patch(`/analytics/views/${some(random, views)}`, { name: `View ${aNumber(random)}` }),
  (random, { views }) => remove(`/analytics/views/${some(random, views)}`),
  () => post('/analytics/refresh', undefined, ADMIN),
];

function saveForm(random: Random): AnyRequest {
  return post(
    '/analytics/forms',
    { name: 'Enquiry', site_key: random.pick(SITES), form_id: random.pick(FORMS) },
    ADMIN,
  );
}
