import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { parseCsv } from '@leadtrail/contract/read-csv';
import { NOON } from '@leadtrail/testing/builders';
import { unknownGeo } from '../../src/domain/geo.ts';
import { isBotAgent } from '../../src/domain/leads/bot-lead.ts';
import { emailKey, readPhone } from '../../src/domain/leads/contact.ts';
import { readEnquiry } from '../../src/domain/leads/enquiry.ts';
import { isTestLead } from '../../src/domain/leads/form-fields.ts';
import { projectKey } from '../../src/domain/leads/lead-identity.ts';
import { readSearch } from '../../src/domain/leads/lead-search.ts';
import { mentionsPerson } from '../../src/domain/leads/mentions.ts';
import { redirectTarget } from '../../src/domain/leads/redirect-target.ts';
import { unwantedBecause } from '../../src/domain/leads/unwanted.ts';
import { callerPage, parseDomainRule } from '../../src/domain/setup/site-domain.ts';
import { campaignParams, visitedCampaign } from '../../src/domain/tracking/campaign-params.ts';
import { deviceOf } from '../../src/domain/tracking/device.ts';
import { pageKey, referrerDomain, visitedAddress } from '../../src/domain/tracking/page-address.ts';
import { isPrivateParameter } from '../../src/domain/tracking/private-parameters.ts';
import { vpnScore } from '../../src/domain/tracking/vpn-score.ts';
import { offeredKeys } from '../../src/http/authenticate.ts';
import { csvLine } from '../../src/lib/csv.ts';
import { canonicalIp } from '../../src/lib/ip-address.ts';

/** Milliseconds for what grows with the text, minutes for what grows with its square. */
const CHARS = 200 * 1024;
const MS_MAX = 20_000;

/** Ends work that goes on without ever yielding, which the limit of a test does not. */
function inTime(work: () => unknown): void {
  runInNewContext('work()', { work }, { timeout: MS_MAX });
}

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  visitedAddress: (text) => visitedAddress(`https://example.com/?x=${text}`, ['member']),
  isPrivateParameter: (text) => isPrivateParameter('x', text, ['member']),
  privateName: (text) => isPrivateParameter(text, 'x', ['member']),
  campaignParams: (text) => campaignParams(`https://example.com/?utm_term=${text}`),
  visitedCampaign: (text) => visitedCampaign(`https://example.com/?utm_term=${text}`, []),
  pageKey,
  referrerDomain: (text) => referrerDomain(`https://${text}`),
  deviceOf,
  isBotAgent: (text) => isBotAgent(text, true) || isBotAgent(text, false),
  vpnScore: (text) =>
    vpnScore({
      ...{ hosting: false, country: 'DE', networksLastDay: 1 },
      ...{ timezone: text, platform: text, userAgent: text },
    }),
  emailKey,
  readPhone: (text) => readPhone(text, '+49', 'DE'),
  projectKey,
  isTestLead: (text) => isTestLead({ name: text, email: text }),
  readSearch,
  mentionsPerson: (text) =>
    mentionsPerson(text, { emails: ['a@b.example'], phones: ['+4917012345'], visitors: ['aaaaaaaa'] }),
  redirectTarget: (text) => redirectTarget({ domain: text, team: text, source: text }, text, ['x']),
  callerPage: (text) => callerPage({ origin: text, referer: `https://${text}` }),
  parseDomainRule,
  offeredKeys: (text) => offeredKeys({ authorization: `Bearer${text}`, 'x-api-key': text }),
  canonicalIp: (text) => canonicalIp(text) ?? canonicalIp(`[${text}`),
  csvLine: (text) => csvLine([text]),
  parseCsv: (text) => [...parseCsv(text)].length,
  readEnquiry: (text) => unwantedBecause(enquiryOf(text), BLOCKED),
};

const BLOCKED = {
  blockedEmailDomains: ['spam.example'],
  blockedPhones: ['+4917012345'],
  blockedWords: Array.from({ length: 1000 }, (_, i) => `word ${i}`),
};

function enquiryOf(text: string) {
  const names = [
    'FIRSTNAME',
    'EMAIL',
    'PHONE',
    'USER_MESSAGE',
    'PAGE_URL',
    'DOMAIN',
    '__touches',
    'own[field]',
  ];
  return readEnquiry(Object.fromEntries(names.map((name) => [name, text])), {
    at: NOON,
    ip: '203.0.113.1',
    headers: { 'user-agent': text, referer: `https://example.com/?x=${text}`, origin: text },
    locate: unknownGeo,
  });
}

/** Repeated, with the end behind it. */
const PIECES = [
  ...[
    '-eyJ',
    '.eyJabcdefghijk',
    'eyJ-',
    '@',
    'a@',
    'a@a.',
    '.',
    'a.',
    ' ',
    '+ ',
    '+1',
    '0',
    '(0)',
    '\n',
    '\r\n',
  ],
  ...[
    ';',
    '";',
    '\n"',
    '"',
    '=',
    '&',
    '?',
    '#',
    '&a=',
    '&email',
    '%',
    '%25',
    '%26a%3D',
    '+',
    '/',
    '://',
    ':',
  ],
  ...[
    '(',
    '[',
    '[]',
    ',',
    'www.',
    'de.',
    'AppleWebKit/',
    ' Android ',
    'Silk/',
    'test',
    'word ',
    'é',
    'Σ',
    '\u{1F600}',
  ],
];
const END = ' Mobile!\n!';

for (const [name, read] of Object.entries(READERS)) {
  test(`${name} does not take the square of a hostile text`, () => {
    for (const piece of PIECES) {
      const text = piece.repeat(Math.ceil(CHARS / piece.length)) + END;
      assert.doesNotThrow(() => inTime(() => read(text)), JSON.stringify(piece));
    }
  });
}
