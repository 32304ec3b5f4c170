import { SECOND_MS } from '../lib/utc-time.ts';
import type { InboxBacklog } from '../ports/inbox.ts';
import {
  type DeliveryOutcome,
  DROP_REASONS,
  type Figures,
  type JobOutcome,
  LEAD_OUTCOMES,
  type Metrics,
  type WatchedInbox,
  type WatchedPool,
} from '../ports/metrics.ts';
import {
  emptyHistogram,
  type Histogram,
  histogramSamples,
  type Labels,
  observe,
  type Sample,
} from './prometheus-histogram.ts';

type Family = { type: 'counter' | 'gauge' | 'histogram'; help: string; samples: () => Sample[] };
type JobFigures = {
  runs: Record<JobOutcome, number>;
  /** In seconds; runs of this process only. */
  last: { runAt?: number; successAt?: number; duration?: number };
};

/** Counts in memory, rendered in the Prometheus text format. */
export function openPrometheusMetrics(build: Labels): Metrics {
  const requests = new Map<string, Map<number, number>>();
  const durations = new Map<string, Histogram>();
  const jobs = new Map<string, JobFigures>();
  const deliveries: Record<DeliveryOutcome, number> = { delivered: 0, retry: 0, failed: 0 };
  const leads = zeros(LEAD_OUTCOMES);
  const drops = zeros(DROP_REASONS);
  const counts = { ingested: 0, ingestFailures: 0, wrongKeys: 0, copies: 0, recovered: 0, missing: 0 };
  let inboxes: () => readonly WatchedInbox[] = () => [];
  let isRedisUp: (() => boolean) | undefined;
  let pools: () => readonly WatchedPool[] = () => [];
  let figures: Partial<Figures> = {};
  const shown = (help: string, figure: keyof Figures): Family => ({
    type: 'gauge',
    help,
    samples: () => [figures[figure]].flatMap((value) => (value === undefined ? [] : [{ value }])),
  });
  const ofPools = (help: string, figure: 'busy' | 'limit' | 'waiting'): Family => ({
    type: 'gauge',
    help,
    samples: () => pools().map((pool) => ({ labels: { pool: pool.name }, value: pool[figure] })),
  });
  let leadLogs: () => readonly WatchedInbox[] = () => [];
  const waiting = (of: keyof InboxBacklog, among = inboxes()) =>
    among.reduce((sum, inbox) => sum + inbox.backlog()[of], 0);
  const oldestSeconds = (among: readonly WatchedInbox[]) => {
    const times = among.flatMap((inbox) => inbox.oldestAt() ?? []);
    return times.length === 0 ? 0 : Math.max(0, Date.now() - Math.min(...times)) / SECOND_MS;
  };

  const lastOfJobs = (figure: keyof JobFigures['last']) =>
    [...jobs].flatMap(
      ([
        job,
        {
          last: { [figure]: value },
        },
      ]) => (value === undefined ? [] : [{ labels: { job }, value }]),
    );

  const families: Record<string, Family> = {
    leadtrail_http_requests_total: {
      type: 'counter',
      help: 'Answered requests',
      samples: () =>
        [...requests].flatMap(([endpoint, byStatus]) =>
          [...byStatus].map(([status, value]) => ({ labels: { endpoint, status: String(status) }, value })),
        ),
    },
    leadtrail_http_request_seconds: {
      type: 'histogram',
      help: 'Time from the request to its answer',
      samples: () =>
        [...durations].flatMap(([endpoint, histogram]) => histogramSamples({ endpoint }, histogram)),
    },
    leadtrail_inbox_records: single('gauge', 'Tracking records waiting to be processed', () =>
      waiting('records'),
    ),
    leadtrail_inbox_bytes: single('gauge', 'Bytes of tracking records waiting to be processed', () =>
      waiting('bytes'),
    ),
    leadtrail_inbox_oldest_record_seconds: single(
      'gauge',
      'How long the oldest record has been waiting to be processed',
      () => oldestSeconds(inboxes()),
    ),
    leadtrail_logged_leads: single('gauge', 'Leads that wait on disk for the store', () =>
      waiting('records', leadLogs()),
    ),
    leadtrail_logged_leads_oldest_seconds: single(
      'gauge',
      'How long the oldest of these leads has been waiting',
      () => oldestSeconds(leadLogs()),
    ),
    leadtrail_inbox_copies_total: single(
      'counter',
      'Inboxes that turned out to be copies of another: restored, or from a shared image',
      () => counts.copies,
    ),
    leadtrail_inbox_recovered_records_total: single(
      'counter',
      'Records of such copies that the store did not have yet',
      () => counts.recovered,
    ),
    leadtrail_inbox_missing: single(
      'gauge',
      'Inboxes of this installation that no process has had open for five minutes',
      () => counts.missing,
    ),
    leadtrail_ingested_records_total: single('counter', 'Processed tracking records', () => counts.ingested),
    leadtrail_ingest_failures_total: single(
      'counter',
      'Batches of tracking records that had to be retried',
      () => counts.ingestFailures,
    ),
    leadtrail_failed_records_total: single(
      'counter',
      'Tracking records that this process could not process',
      () => drops.record_unprocessable,
    ),
    leadtrail_leads_total: byLabel('outcome', 'Submitted leads by what became of them', leads),
    leadtrail_dropped_total: byLabel('reason', 'What was sent to the service and is not kept', drops),
    leadtrail_wrong_keys_total: single(
      'counter',
      'Requests with a key or secret that is wrong',
      () => counts.wrongKeys,
    ),
    leadtrail_deliveries_total: byLabel(
      'outcome',
      'Attempts to send a lead to the automation platform',
      deliveries,
    ),
    leadtrail_job_runs_total: {
      type: 'counter',
      help: 'Runs of scheduled jobs; skipped: done by another process',
      samples: () =>
        [...jobs].flatMap(([job, { runs }]) =>
          Object.entries(runs).map(([outcome, value]) => ({ labels: { job, outcome }, value })),
        ),
    },
    leadtrail_job_last_run_timestamp_seconds: {
      type: 'gauge',
      help: 'When this process last ran a scheduled job',
      samples: () => lastOfJobs('runAt'),
    },
    leadtrail_job_last_success_timestamp_seconds: {
      type: 'gauge',
      help: 'When the last successful run of a scheduled job started',
      samples: () => lastOfJobs('successAt'),
    },
    leadtrail_job_last_duration_seconds: {
      type: 'gauge',
      help: 'How long the last run of a scheduled job took',
      samples: () => lastOfJobs('duration'),
    },
    leadtrail_redis_up: {
      type: 'gauge',
      help: 'Whether Redis answers, where one is configured',
      samples: () => (isRedisUp === undefined ? [] : [{ value: Number(isRedisUp()) }]),
    },
    leadtrail_postgres_up: shown('Whether PostgreSQL answers, where it is the store', 'postgresUp'),
    leadtrail_store_busy: ofPools('Connections to the store, or threads of it, that are at work', 'busy'),
    leadtrail_store_limit: ofPools('Connections to the store, or threads of it, at most', 'limit'),
    leadtrail_store_waiting: ofPools(
      'Operations that wait for a connection to the store, or a thread of it',
      'waiting',
    ),
    leadtrail_s3_up: shown('Whether S3 answered last time, where one is configured', 's3Up'),
    leadtrail_pending_sends: shown('Deliveries that wait for the automation platform', 'pendingSends'),
    leadtrail_pending_sends_oldest_seconds: shown(
      'How long the oldest of these deliveries has been waiting',
      'oldestSendSeconds',
    ),
    leadtrail_archive_queue: shown('Archives that wait for the object store', 'waitingArchives'),
    leadtrail_failed_records: shown(
      'Tracking records that could not be processed, and wait in failed_records',
      'failedRecords',
    ),
    leadtrail_disk_free_bytes: shown('Space that is left where DATA_DIR is', 'diskFreeBytes'),
    leadtrail_event_loop_lag_seconds: shown(
      'The longest that the main thread was busy since the metrics were last asked for',
      'lagSeconds',
    ),
    leadtrail_build_info: {
      type: 'gauge',
      help: 'The version that is running',
      samples: () => [{ labels: build, value: 1 }],
    },
    process_resident_memory_bytes: single('gauge', 'Resident memory', () => process.memoryUsage.rss()),
    process_cpu_seconds_total: single('counter', 'CPU time', () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    }),
    process_start_time_seconds: single(
      'gauge',
      'When the process started',
      () => performance.timeOrigin / 1000,
    ),
  };

  return {
    forEndpoint(endpoint) {
      const byStatus = new Map<number, number>();
      const histogram = emptyHistogram();
      requests.set(endpoint, byStatus);
      durations.set(endpoint, histogram);
      return (status, seconds) => {
        byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
        observe(histogram, seconds);
      };
    },
    forJob(job) {
      const { runs, last }: JobFigures = { runs: { success: 0, failure: 0, skipped: 0 }, last: {} };
      jobs.set(job, { runs, last });
      return (outcome, at, seconds) => {
        runs[outcome] += 1;
        if (outcome === 'skipped') return;
        last.runAt = at / SECOND_MS;
        last.duration = seconds;
        if (outcome === 'success') last.successAt = last.runAt;
      };
    },
    watchInboxes(watched) {
      inboxes = watched;
    },
    watchLeadLogs(watched) {
      leadLogs = watched;
    },
    inboxCopied() {
      counts.copies += 1;
    },
    inboxRecovered(records) {
      counts.recovered += records;
    },
    inboxesMissing(count) {
      counts.missing = count;
    },
    watchRedis(isUp) {
      isRedisUp = isUp;
    },
    watchPools(watched) {
      pools = watched;
    },
    ingested(records) {
      counts.ingested += records;
    },
    ingestFailed() {
      counts.ingestFailures += 1;
    },
    leadSubmitted(outcome) {
      leads[outcome] += 1;
    },
    dropped(reason, count = 1) {
      drops[reason] += count;
    },
    keyRefused() {
      counts.wrongKeys += 1;
    },
    deliveryTried(outcome) {
      deliveries[outcome] += 1;
    },
    show(looked) {
      figures = looked;
    },
    text: () => Object.entries(families).map(familyText).join(''),
  };
}

function single(type: 'counter' | 'gauge', help: string, value: () => number): Family {
  return { type, help, samples: () => [{ value: value() }] };
}

function byLabel(label: string, help: string, counts: Readonly<Record<string, number>>): Family {
  return {
    type: 'counter',
    help,
    samples: () => Object.entries(counts).map(([name, value]) => ({ labels: { [label]: name }, value })),
  };
}

/** A counter that has not moved is shown as 0, so that its first increase can be seen. */
function zeros<T extends string>(names: readonly T[]): Record<T, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<T, number>;
}

/** Label values are names from the code, so they need no escaping. */
function familyText([name, { type, help, samples }]: [string, Family]): string {
  const lines = samples().map(({ suffix = '', labels = {}, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
