/**
 * The clients of a fictitious agency: what they sell, where, on which
 * pages and to whom. Their domains are reserved for examples.
 */
export type Client = {
  siteKey: string;
  siteName: string;
  domain: string;
  project: string;
  location: string;
  team: string;
  /** Landing pages, the most frequent entry page first. */
  pages: readonly string[];
  forms: readonly { id: string; name: string }[];
  /** Countries of the visitors, the most frequent first. */
  audience: readonly string[];
  /** Earnings from a won lead in euros, minimum and maximum. */
  earnings: readonly [number, number];
  weight: number;
};

const ENQUIRY = { id: 'enquiry', name: 'Enquiry' };
const BROCHURE = { id: 'brochure', name: 'Brochure request' };
const VISIT = { id: 'visit', name: 'Book a visit' };
const CALL_BACK = { id: 'call-back', name: 'Call me back' };

export const CLIENTS: readonly Client[] = [
  {
    siteKey: 'riverside-quarter',
    siteName: 'Riverside Quarter',
    domain: 'www.riverside-quarter.example',
    project: 'Riverside Quarter',
    location: 'Pune',
    team: 'Pune sales',
    pages: ['/', '/apartments', '/apartments/two-bedroom', '/apartments/penthouse', '/location', '/prices'],
    forms: [ENQUIRY, BROCHURE, VISIT],
    audience: ['IN', 'IN', 'IN', 'AE', 'US', 'GB', 'SG', 'AU'],
    earnings: [1200, 6000],
    weight: 24,
  },
  {
    siteKey: 'harbour-house',
    siteName: 'Harbour House',
    domain: 'harbour-house.example',
    project: 'Harbour House',
    location: 'Dubai',
    team: 'Dubai sales',
    pages: ['/', '/residences', '/payment-plan', '/amenities', '/open-house', '/gallery'],
    forms: [ENQUIRY, VISIT],
    audience: ['AE', 'AE', 'IN', 'GB', 'SA', 'DE', 'PK', 'FR', 'US'],
    earnings: [2500, 14000],
    weight: 22,
  },
  {
    siteKey: 'lindenhof',
    siteName: 'Lindenhof Berlin',
    domain: 'www.lindenhof.example',
    project: 'Lindenhof',
    location: 'Berlin',
    team: 'Europe',
    pages: ['/', '/wohnungen', '/wohnungen/drei-zimmer', '/lage', '/finanzierung'],
    forms: [ENQUIRY, BROCHURE],
    audience: ['DE', 'DE', 'DE', 'DE', 'NL', 'PL', 'FR', 'TR'],
    earnings: [2000, 9000],
    weight: 15,
  },
  {
    siteKey: 'casa-miramar',
    siteName: 'Casa Miramar',
    domain: 'casa-miramar.example',
    project: 'Casa Miramar',
    location: 'Valencia',
    team: 'Europe',
    pages: ['/', '/villas', '/villas/sea-view', '/life-in-valencia', '/buying-in-spain'],
    forms: [ENQUIRY, CALL_BACK],
    audience: ['ES', 'GB', 'DE', 'NL', 'FR', 'IT', 'BR', 'US'],
    earnings: [2500, 12000],
    weight: 14,
  },
  {
    siteKey: 'kingsway-lofts',
    siteName: 'Kingsway Lofts',
    domain: 'www.kingsway-lofts.example',
    project: 'Kingsway Lofts',
    location: 'London',
    team: 'Europe',
    pages: ['/', '/lofts', '/lofts/studio', '/neighbourhood', '/help-to-buy'],
    forms: [ENQUIRY, VISIT],
    audience: ['GB', 'GB', 'GB', 'US', 'SG', 'CN', 'ZA', 'IT'],
    earnings: [3000, 15000],
    weight: 11,
  },
  {
    siteKey: 'aurora-solar',
    siteName: 'Aurora Solar',
    domain: 'www.aurora-solar.example',
    project: 'Aurora Solar',
    location: 'Austin',
    team: 'Partners',
    pages: ['/', '/home', '/business', '/savings-calculator', '/financing'],
    forms: [{ id: 'quote', name: 'Free quote' }, CALL_BACK],
    audience: ['US', 'US', 'US', 'US', 'CA', 'AU'],
    earnings: [900, 4500],
    weight: 9,
  },
  {
    siteKey: 'atlas-languages',
    siteName: 'Atlas Language School',
    domain: 'atlas-languages.example',
    project: 'Atlas Language School',
    location: 'Valletta',
    team: 'Partners',
    pages: ['/', '/courses', '/courses/business-english', '/summer-school', '/placement-test'],
    forms: [ENQUIRY, { id: 'placement', name: 'Placement interview' }],
    audience: ['IT', 'ES', 'BR', 'JP', 'TR', 'PL', 'CN', 'FR', 'DE', 'KE'],
    earnings: [350, 1800],
    weight: 5,
  },
];

/** Traffic sources. `medium` and `source` as in UTM parameters; no referrer means a typed address. */
export type Channel = {
  leadSource: string;
  referrer: string | null;
  utm: { source: string; medium: string } | null;
  clickId?: 'gclid' | 'fbclid' | 'msclkid';
  weight: number;
};

export const CHANNELS: readonly Channel[] = [
  { leadSource: 'WebSite', referrer: null, utm: null, weight: 20 },
  { leadSource: 'WebSite', referrer: 'https://www.google.com/', utm: null, weight: 18 },
  {
    leadSource: 'Google',
    referrer: 'https://www.google.com/',
    utm: { source: 'google', medium: 'cpc' },
    clickId: 'gclid',
    weight: 22,
  },
  {
    leadSource: 'FB',
    referrer: 'https://l.facebook.com/',
    utm: { source: 'facebook', medium: 'paid_social' },
    clickId: 'fbclid',
    weight: 14,
  },
  {
    leadSource: 'Instagram',
    referrer: 'https://l.instagram.com/',
    utm: { source: 'instagram', medium: 'paid_social' },
    clickId: 'fbclid',
    weight: 8,
  },
  {
    leadSource: 'LinkedIn',
    referrer: 'https://www.linkedin.com/',
    utm: { source: 'linkedin', medium: 'paid_social' },
    weight: 4,
  },
  {
    leadSource: 'Bing',
    referrer: 'https://www.bing.com/',
    utm: { source: 'bing', medium: 'cpc' },
    clickId: 'msclkid',
    weight: 4,
  },
  {
    leadSource: 'Partner',
    referrer: 'https://www.homes-portal.example/new-projects',
    utm: { source: 'homes-portal', medium: 'referral' },
    weight: 5,
  },
  { leadSource: 'Newsletter', referrer: null, utm: { source: 'newsletter', medium: 'email' }, weight: 3 },
  { leadSource: 'WebSite', referrer: 'https://duckduckgo.com/', utm: null, weight: 2 },
  { leadSource: 'WebSite', referrer: 'https://www.youtube.com/', utm: null, weight: 2 },
  { leadSource: 'WebSite', referrer: 'https://cityliving.example/magazine', utm: null, weight: 1 },
];

export const CAMPAIGNS = ['launch', 'autumn-sale', 'remarketing', 'lookalike', 'brand'] as const;
/** The occasion of the peak. */
export const OPEN_HOUSE = { siteKey: 'harbour-house', campaign: 'open-house', page: '/open-house' };

export const KEYWORDS = [
  'new apartments',
  'flats for sale',
  'two bedroom flat',
  'sea view villa',
  'off plan property',
  'investment property',
  'solar panels cost',
  'business english course',
];
export const CALLS_TO_ACTION = [
  'Hero: enquire now',
  'Sticky bar: call me back',
  'Price list',
  'Download the brochure',
  'Book a visit',
  'Footer form',
];
export const MESSAGES = [
  'Please call me back about a visit at the weekend.',
  'Could you send me the price list and the floor plans?',
  'We are a family of four and look for three bedrooms. What is available?',
  'Is financing possible for buyers from abroad?',
  'Which units are still available above the tenth floor?',
  'I would like to know more about the payment plan.',
  'What are the running costs per year?',
  'Interested as an investment. What rental yield do you expect?',
  'Can we come by next Tuesday after 5 pm?',
  'Please contact me by e-mail only.',
  'When is the hand-over planned?',
  'My colleague recommended you. Could we talk this week?',
  '',
  '',
  '',
];
