import { call } from '../../api/client.ts';
import type { SetAsideKind } from './set-aside-kind.ts';
import { SetAsidePage } from './set-aside-page.tsx';

const REJECTED: SetAsideKind = {
  key: 'rejected',
  title: 'Rejected',
  hint: 'From blocked IP addresses, or rejected by your spam settings. Kept apart and not forwarded.',
  ipList: { to: '/blocked-ips', label: 'Show blocked IP', why: 'Blocked IP address' },
  empty: {
    title: 'No rejected leads',
    text: 'Leads from blocked IP addresses appear here instead of under Leads.',
    action: 'Blocked IPs',
  },
  async list(query, signal) {
    const { blocked_ip_leads: rows, total } = await call('rejectedLeads', { query, signal });
    return { rows, total };
  },
  remove: (ids) => call('deleteRejectedLeads', { body: { ids } }),
  accepting: {
    text: 'It becomes a lead as if its address had not been blocked, dated when it came in.',
    isUnblocking: true,
  },
  accept: (id, body) => call('acceptRejectedLead', { params: { id }, body }),
};

const TESTING: SetAsideKind = {
  key: 'testing',
  title: 'Testing',
  hint: 'Leads from IP addresses whitelisted for testing. They are kept apart and not forwarded.',
  ipList: { to: '/whitelisted-ips', label: 'Show whitelisted IP', why: 'IP address for testing' },
  empty: {
    title: 'No testing leads',
    text: 'Whitelist your own IP address for testing, then try your forms. What you send appears only here.',
    action: 'Whitelisted IPs',
  },
  async list(query, signal) {
    const { testing_leads: rows, total } = await call('testingLeads', { query, signal });
    return { rows, total };
  },
  remove: (ids) => call('deleteTestingLeads', { body: { ids } }),
  accepting: {
    text: 'It becomes a lead as if it had not been a test, dated when it came in.',
    isUnblocking: false,
  },
  accept: (id, body) => call('acceptTestingLead', { params: { id }, body }),
};

export function RejectedPage() {
  return <SetAsidePage key={REJECTED.key} kind={REJECTED} />;
}

export function TestingPage() {
  return <SetAsidePage key={TESTING.key} kind={TESTING} />;
}
