import {
  Activity,
  BellRing,
  Clock,
  Globe,
  History,
  KeyRound,
  ListOrdered,
  type LucideIcon,
  Plug,
  Send,
  Share2,
  Users,
} from 'lucide-react';
import type { ComponentType } from 'react';
import { AccountSection } from './account-section.tsx';
import { DroughtSection } from './drought-section.tsx';
import { FiguresSection } from './figures-section.tsx';
import { ForwardingSection } from './forwarding/forwarding-section.tsx';
import { IntegrationsSection } from './integrations/integrations-section.tsx';
import { LeadsSection } from './leads-section.tsx';
import { OptionsSection } from './options/options-section.tsx';
import { RetentionSection } from './retention/retention-section.tsx';
import { SharedLinksSection } from './shared-links/shared-links-section.tsx';
import { SitesSection } from './sites/sites-section.tsx';
import { SystemSection } from './system-section.tsx';

/** All sections, in the order in which a new user needs them. */
export const SECTIONS: readonly {
  slug: string;
  title: string;
  icon: LucideIcon;
  Section: ComponentType;
}[] = [
  { slug: 'sites', title: 'Sites and forms', icon: Globe, Section: SitesSection },
  { slug: 'integrations', title: 'Integrations', icon: Plug, Section: IntegrationsSection },
  { slug: 'shared-links', title: 'Shared links', icon: Share2, Section: SharedLinksSection },
  { slug: 'forwarding', title: 'Forwarding', icon: Send, Section: ForwardingSection },
  { slug: 'leads', title: 'Leads', icon: Users, Section: LeadsSection },
  { slug: 'figures', title: 'Time zone and currency', icon: Clock, Section: FiguresSection },
  { slug: 'drought', title: 'Drought alert', icon: BellRing, Section: DroughtSection },
  { slug: 'retention', title: 'Retention and replay', icon: History, Section: RetentionSection },
  { slug: 'options', title: 'Dropdown options', icon: ListOrdered, Section: OptionsSection },
  { slug: 'system', title: 'System', icon: Activity, Section: SystemSection },
  { slug: 'account', title: 'Keys and appearance', icon: KeyRound, Section: AccountSection },
];
