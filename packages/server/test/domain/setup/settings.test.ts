import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type SavedSettings, type SettingDefaults, settingsOf } from '../../../src/domain/setup/settings.ts';

const NOTHING_SET: SettingDefaults = {
  flowWebhookUrl: undefined,
  flowSigningSecret: undefined,
  flowAllowPrivateNetwork: false,
  crmCallbackSecret: undefined,
  crmWebhookSecret: undefined,
  botLeadDetection: false,
  refreshCooldownSeconds: 1800,
};

const settings = (saved: SavedSettings = {}, environment: Partial<SettingDefaults> = {}) =>
  settingsOf(saved, { ...NOTHING_SET, ...environment });

const ENVIRONMENT_URL = 'http://127.0.0.1:5678/hook';
const SAVED_URL = 'https://flows.example/hook';

test('where nothing is saved or set the defaults hold', () => {
  const { shown, ...used } = settings();
  assert.deepEqual(used, {
    flowEnabled: false,
    flowWebhookUrl: null,
    flowTarget: null,
    flowSigningSecret: null,
    flowSendFollowUps: 'new_details',
    flowRiskMax: null,
    flowSendStageChanges: false,
    crmStageMap: [],
    crmValueFields: ['value', 'amount'],
    botLeadDetection: false,
    blockedEmailDomains: [],
    blockedPhones: [],
    blockedWords: [],
    disposableEmailDomains: [],
    callbacksRequireSignature: false,
    crmCallbackSecret: null,
    crmWebhookSecret: null,
    internalTeams: [],
    duplicateWindowMinutes: 60,
    analyticsRefreshCooldownSeconds: 1800,
    leadDroughtEnabled: false,
    leadDroughtHours: 24,
    leadDroughtWebhookUrl: null,
    leadDroughtTarget: null,
    archiveRetentionDays: 90,
    sessionRetentionDays: null,
    leadRetentionDays: null,
    leadRetentionStages: ['lost', 'fake'],
    setAsideRetentionDays: null,
    flowSendBodyRetentionDays: null,
    unmatchedEventRetentionDays: 30,
    redactedParameters: [],
    replayRetentionDays: 30,
    replayStorageMb: 5120,
    replaySampleRate: 0,
    attributionDays: 90,
    timezone: 'UTC',
    currency: 'EUR',
    portalDomains: [],
  });
  assert.equal(shown.crm_webhook_secret_set, false);
});

test('a saved number of nothing is a number, not a missing one', () => {
  const saved = {
    duplicate_window_minutes: 0,
    analytics_refresh_cooldown_seconds: 0,
    archive_retention_days: 0,
    replay_retention_days: 0,
  };
  assert.partialDeepStrictEqual(settings(saved), {
    duplicateWindowMinutes: 0,
    analyticsRefreshCooldownSeconds: 0,
    archiveRetentionDays: 0,
    replayRetentionDays: 0,
  });
});

test('a saved null is for ever where a number of days can be null', () => {
  assert.equal(settings({ unmatched_event_retention_days: null }).unmatchedEventRetentionDays, null);
  assert.equal(settings({}).unmatchedEventRetentionDays, 30);
});

test('flow_enabled is true by default once a target URL is known, from the environment or the settings', () => {
  assert.equal(settings({}).flowEnabled, false);
  assert.equal(settings({}, { flowWebhookUrl: ENVIRONMENT_URL }).flowEnabled, true);
  assert.equal(settings({ flow_webhook_url: SAVED_URL }).flowEnabled, true);
  for (const flow_enabled of [true, false]) {
    assert.equal(settings({ flow_enabled }, { flowWebhookUrl: ENVIRONMENT_URL }).flowEnabled, flow_enabled);
    assert.equal(settings({ flow_enabled, flow_webhook_url: SAVED_URL }).flowEnabled, flow_enabled);
  }
  assert.equal(settings({ flow_enabled: null, flow_webhook_url: SAVED_URL }).flowEnabled, true);
});

test('without a target URL nothing can be sent, enabled or not', () => {
  assert.equal(settings({ flow_enabled: true, flow_signing_secret: 'secret' }).flowTarget, null);
});

test('only a URL of the environment may point at private addresses, unless all may', () => {
  const environment = { flowWebhookUrl: ENVIRONMENT_URL };
  const policies = (saved: SavedSettings, more: Partial<SettingDefaults> = {}) => {
    const { flowTarget, leadDroughtTarget } = settings(saved, { ...environment, ...more });
    return [flowTarget?.policy, leadDroughtTarget?.policy];
  };
  const saved = { flow_webhook_url: SAVED_URL, lead_drought_webhook_url: SAVED_URL };
  assert.deepEqual(policies({}), ['trusted', undefined]);
  assert.deepEqual(policies(saved), ['saved', 'saved']);
  assert.deepEqual(policies(saved, { flowAllowPrivateNetwork: true }), ['trusted', 'trusted']);
  // Saving what the environment says anyway takes nothing from it.
  assert.deepEqual(policies({ flow_webhook_url: ENVIRONMENT_URL }), ['trusted', undefined]);
  assert.deepEqual(policies({ flow_webhook_url: `${ENVIRONMENT_URL}/` }), ['saved', undefined]);
});

const saved = fc.constantFrom(undefined, null, 'saved');
const environment = fc.constantFrom(undefined, 'environment');

test('a value saved in the dashboard overrides the environment’s, and null takes it back', () => {
  fc.assert(
    fc.property(saved, environment, (ofDashboard, ofEnvironment) => {
      const expected = ofDashboard ?? ofEnvironment ?? null;
      const callback = settings({ crm_callback_secret: ofDashboard }, { crmCallbackSecret: ofEnvironment });
      assert.equal(callback.crmCallbackSecret, expected);
      const webhook = settings({ crm_webhook_secret: ofDashboard }, { crmWebhookSecret: ofEnvironment });
      assert.equal(webhook.crmWebhookSecret, expected);
      const flow = settings({ flow_webhook_url: ofDashboard }, { flowWebhookUrl: ofEnvironment });
      assert.equal(flow.flowTarget?.url ?? null, expected);
      const signing = settings(
        { flow_signing_secret: ofDashboard, flow_webhook_url: SAVED_URL },
        { flowSigningSecret: ofEnvironment },
      );
      assert.deepEqual([signing.flowSigningSecret, signing.flowTarget?.secret], [expected, expected]);
    }),
  );
});

test('webhook secret: its own (saved, then environment), else the callback secret', () => {
  fc.assert(
    fc.property(saved, environment, saved, environment, (own, ownEnvironment, callback, ofEnvironment) => {
      const holding = settings(
        { crm_webhook_secret: own, crm_callback_secret: callback && 'saved callback' },
        { crmWebhookSecret: ownEnvironment, crmCallbackSecret: ofEnvironment && 'environment callback' },
      );
      const expected = own ?? ownEnvironment ?? null;
      assert.equal(holding.crmWebhookSecret, expected ?? holding.crmCallbackSecret);
      assert.equal(holding.shown.crm_webhook_secret_set, expected !== null);
    }),
  );
});
