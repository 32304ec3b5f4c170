import { optionLabel } from '../../frame/option-label.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyIcon } from '../../ui/copy-button.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { Dotted } from '../../ui/dotted.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Time } from '../../ui/time.tsx';
import { WebLink } from '../../ui/web-link.tsx';
import type { Lead } from './data.ts';
import { IpAddress } from './ip-address.tsx';

export function DetailsCard({ lead }: { lead: Lead }) {
  const campaign = Object.entries(lead.campaign).filter(([, value]) => value !== '');
  const fields = Object.entries(lead.fields);
  return (
    <Card title="Details">
      <div className="grid gap-4">
        <Facts layout="narrow" facts={originOf(lead)} />
        {fields.length > 0 && (
          <div className="grid gap-2">
            <h3 className="text-[0.8125rem] font-medium text-ink-faint">Other fields of the form</h3>
            <Facts layout="narrow" facts={fields.map(([name, value]) => ({ name, value }))} />
          </div>
        )}
        {campaign.length > 0 && (
          <Facts
            layout="narrow"
            facts={campaign.map(([name, value]) => ({ name: campaignName(name), value }))}
          />
        )}
        {lead.contact_ip !== '' && <IpAddress lead={lead} />}
        <Disclosure title="Technical">
          <Facts layout="narrow" facts={technicalOf(lead)} />
        </Disclosure>
      </div>
    </Card>
  );
}

function originOf(lead: Lead): Fact[] {
  return given([
    ['First submission', <Time key="time" value={lead.enquiry_datetime} />],
    [
      'Latest follow-up',
      lead.last_follow_up_at === null ? '' : <Time key="time" value={lead.last_follow_up_at} />,
    ],
    [
      'Project',
      lead.project_location === '' ? (
        optionLabel('project', lead.project_name)
      ) : (
        <Dotted
          key="project"
          parts={[optionLabel('project', lead.project_name), optionLabel('city', lead.project_location)]}
        />
      ),
    ],
    ['Also asked about', lead.related_projects],
    ['Source', optionLabel('source', lead.project_source)],
    ['Team', lead.source_team],
    ['Keyword', lead.keyword],
    ['Page', lead.referer === '' ? '' : <WebLink key="page" address={lead.referer} />],
  ]);
}

function technicalOf(lead: Lead): Fact[] {
  return given([
    ['Lead number', lead.lead_id],
    ['Lead ID', <Id key="id" text={lead.lead_public_id} label="Copy lead ID" />],
    ['CRM ID', lead.crm_lead_id ? <Id key="id" text={lead.crm_lead_id} label="Copy CRM ID" /> : ''],
    ['Visitor ID', lead.visitor_id ? <Id key="id" text={lead.visitor_id} label="Copy visitor ID" /> : ''],
    ['Site', lead.site_key],
    ['Form', lead.form_id],
    ['Time zone', lead.contact_timezone],
    ['Browser', lead.user_agent],
    ['First viewed', lead.seen_at === null ? '' : <Time key="time" value={lead.seen_at} />],
  ]);
}

function given(facts: readonly [string, Fact['value']][]): Fact[] {
  return facts.filter(([, value]) => value !== '').map(([name, value]) => ({ name, value }));
}

function Id({ text, label }: { text: string; label: string }) {
  return (
    <span className="flex items-center justify-between gap-2">
      <span className="min-w-0 font-mono text-xs break-all">{text}</span>
      <CopyIcon text={text} label={label} />
    </span>
  );
}

const CAMPAIGN_NAMES: Readonly<Record<string, string>> = {
  utm_source: 'Campaign source',
  utm_medium: 'Campaign medium',
  utm_campaign: 'Campaign',
  utm_term: 'Campaign term',
  utm_content: 'Campaign content',
};

function campaignName(name: string): string {
  return CAMPAIGN_NAMES[name.toLowerCase()] ?? name;
}
