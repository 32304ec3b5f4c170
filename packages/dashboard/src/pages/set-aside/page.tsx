import { call } from '../../api/client.ts';
import type { SetAsideKind } from './set-aside-kind.ts';
import { SetAsidePage } from './set-aside-page.tsx';

const REJECTED: SetAsideKind = {
  key: 'rejected',
  title: 'Rejected',
  hint: 'Enquiries from blocked IP addresses. They did not become leads and were not forwarded.',
  ipList: { to: '/blocked-ips', label: 'Show the blocked IP' },
  empty: {
    title: 'Nothing has been rejected',
    text: 'When an enquiry comes from a blocked IP address, you find it here instead of among the leads.',
    action: 'Blocked IPs',
  },
  async list(query, signal) {
    const { blocked_ip_leads: rows, total } = await call('rejectedLeads', { query, signal });
    return { rows, total };
  },
  remove: (ids) => call('deleteRejectedLeads', { body: { ids } }),
};

const TESTING: SetAsideKind = {
  key: 'testing',
  title: 'Testing',
  hint: 'Enquiries from IP addresses that are whitelisted for testing. They did not become leads and were not forwarded.',
  ipList: { to: '/whitelisted-ips', label: 'Show the whitelisted IP' },
  empty: {
    title: 'No test enquiries',
    text: 'Whitelist your own IP address for testing, then try your forms: what you send arrives here and stays out of the leads.',
    action: 'Whitelisted IPs',
  },
  async list(query, signal) {
    const { testing_leads: rows, total } = await call('testingLeads', { query, signal });
    return { rows, total };
  },
  remove: (ids) => call('deleteTestingLeads', { body: { ids } }),
};

export function RejectedPage() {
  return <SetAsidePage key={REJECTED.key} kind={REJECTED} />;
}

export function TestingPage() {
  return <SetAsidePage key={TESTING.key} kind={TESTING} />;
}
