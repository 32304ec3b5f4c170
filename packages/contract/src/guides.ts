/** The guides that the service serves, by the name of their file in lower case, and whom each is for. */
export const GUIDES = {
  dashboard: { title: 'The dashboard', reader: 'for marketers: leads, campaigns, reports' },
  sites: { title: 'Adding it to a site', reader: 'for integrators: scripts, forms, consent' },
  automation: { title: 'Automation and CRM', reader: 'for integrators: n8n, Make, Zapier, pulling leads' },
  operations: { title: 'Running it', reader: 'for operators: configuration, outages, backups' },
  capacity: { title: 'Capacity', reader: 'for operators: how much it takes' },
  glossary: { title: 'Glossary', reader: 'what things are called' },
} as const;
export type Guide = keyof typeof GUIDES;
export const GUIDE_NAMES = Object.keys(GUIDES) as Guide[];
