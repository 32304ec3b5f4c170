import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft, Ellipsis, Trash2, UserX } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiProblem } from '../../api/client.ts';
import { useIsAdmin } from '../../api/role.ts';
import { counted } from '../../format.ts';
import { optionLabel } from '../../frame/option-label.tsx';
import { BotAndTest } from '../../shared/bot-and-test.tsx';
import { KeyboardHelp } from '../../shared/keyboard-help.tsx';
import { leadsSearchWith } from '../../shared/last-leads-search.ts';
import { personName } from '../../shared/person-name.ts';
import { ReplayDialog } from '../../shared/replay/replay-dialog.tsx';
import { useSearchParams } from '../../shared/use-search-params.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { ContactCard } from './contact-card.tsx';
import { isOnSite, type Lead, type LeadDetail, leadQuery, markOthersStale } from './data.ts';
import { DetailsCard } from './details-card.tsx';
import { DuplicatesCard } from './duplicates-card.tsx';
import { EraseDialog } from './erase-dialog.tsx';
import { ForwardingCard } from './forwarding-card.tsx';
import { IdentitiesCard } from './identities-card.tsx';
import { MergedCard } from './merged-card.tsx';
import { NotesCard } from './notes-card.tsx';
import { OriginCard } from './origin-card.tsx';
import { QueueLinks } from './queue-links.tsx';
import { ScoresCard } from './scores-card.tsx';
import type { LeadSearch } from './search.ts';
import { StageSelect } from './stage-select.tsx';
import { Timeline } from './timeline.tsx';
import { otherName } from './use-merging.ts';
import { ValueCard } from './value-card.tsx';

const route = getRouteApi('/leads/$leadId');

export function LeadPage() {
  const { leadId } = route.useParams();
  const { data, error, refetch } = useQuery(leadQuery(leadId));
  const queryClient = useQueryClient();
  const lastView = data?.lead.last_viewed_at;
  // Viewing the lead marked it as reviewed, which other pages show.
  useEffect(() => {
    if (lastView !== undefined) markOthersStale(queryClient);
  }, [lastView, queryClient]);

  const isUnknown = error instanceof ApiProblem && (error.status === 404 || error.status === 400);
  // An erased lead disappears even if it is still cached.
  if (data !== undefined && !isUnknown) return <LeadView key={data.lead.lead_id} id={leadId} detail={data} />;
  if (error === null) return <LeadSkeleton />;
  return (
    <Page title="Lead">
      {isUnknown ? <UnknownLead /> : <ErrorState error={error} onRetry={() => void refetch()} />}
    </Page>
  );
}

function LeadView({ id, detail }: { id: string; detail: LeadDetail }) {
  const { lead } = detail;
  const isAdmin = useIsAdmin();
  const [search, changeSearch] = useSearchParams<LeadSearch>();
  const [isErasing, setErasing] = useState(false);

  return (
    <Page
      title={personName(lead)}
      hint={<Subtitle lead={lead} isHere={isOnSite(detail)} />}
      actions={
        <>
          <AllLeads lead={lead} />
          <QueueLinks lead={lead} />
          <KeyboardHelp />
          <StageSelect lead={lead} />
          {isAdmin && (
            <Menu
              trigger={<Button aria-label="More actions" icon={<Ellipsis aria-hidden="true" />} />}
              entries={[
                {
                  label: 'Erase this person…',
                  icon: <Trash2 aria-hidden="true" />,
                  isDangerous: true,
                  onSelect: () => setErasing(true),
                },
              ]}
            />
          )}
        </>
      }
    >
      <MergedNote id={id} detail={detail} />
      <Columns
        first={
          <>
            <OriginCard touches={detail.touches} />
            <ContactCard lead={lead} />
            <NotesCard detail={detail} />
            <DuplicatesCard detail={detail} />
            <MergedCard detail={detail} />
            <ScoresCard detail={detail} />
          </>
        }
        main={<Timeline id={id} detail={detail} search={search} onSearch={changeSearch} />}
        last={
          <>
            <ValueCard lead={lead} />
            <ForwardingCard detail={detail} />
            <IdentitiesCard detail={detail} />
            <DetailsCard lead={lead} />
          </>
        }
      />
      <EraseDialog detail={detail} isOpen={isErasing} onClose={() => setErasing(false)} />
      <ReplayDialog
        sessionId={search.replay}
        onClose={() => changeSearch({ replay: undefined }, { isReplacing: true })}
      />
    </Page>
  );
}

function Subtitle({ lead, isHere }: { lead: Lead; isHere: boolean }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      {lead.project_name !== '' && <bdi>{optionLabel('project', lead.project_name)}</bdi>}
      {isHere && <Badge tone="positive">On the site now</Badge>}
      {lead.needs_review === 1 && <Badge tone="info">Needs review</Badge>}
      <BotAndTest of={lead} />
      {lead.vpn_suspected === 1 && <Badge tone="warning">VPN</Badge>}
      {lead.is_ip_blocked === 1 && <Badge tone="negative">IP blocked</Badge>}
      {lead.follow_ups_count > 0 && <Badge>{counted(lead.follow_ups_count, 'follow-up')}</Badge>}
    </span>
  );
}

/** Shown at the address of a lead that was merged into this one. */
function MergedNote({ id, detail: { merged } }: { id: string; detail: LeadDetail }) {
  const asked = id.toLowerCase();
  const other = merged.find(
    ({ lead_id, lead_public_id }) => String(lead_id) === asked || lead_public_id === asked,
  );
  if (other === undefined) return null;
  return (
    <p className="rounded-lg bg-info-soft px-3 py-2.5 wrap-anywhere">
      You opened {otherName(other)}, which was merged into this lead.
    </p>
  );
}

/** Two columns, three on a wide screen; on a phone contact, timeline, details. */
function Columns({ first, main, last }: { first: ReactNode; main: ReactNode; last: ReactNode }) {
  return (
    <div className="grid items-start gap-4 sm:gap-5 lg:grid-cols-[minmax(0,1fr)_21rem] lg:grid-rows-[auto_1fr] min-[112.5rem]:grid-cols-[minmax(0,1fr)_21rem_21rem]">
      <div className="grid min-w-0 gap-4 sm:gap-5 lg:col-start-2 lg:row-start-1">{first}</div>
      <div className="min-w-0 lg:col-start-1 lg:row-span-2 lg:row-start-1">{main}</div>
      <div className="grid min-w-0 gap-4 sm:gap-5 lg:col-start-2 lg:row-start-2 min-[112.5rem]:col-start-3 min-[112.5rem]:row-start-1">
        {last}
      </div>
    </div>
  );
}

function AllLeads({ lead }: { lead: Lead }) {
  return (
    <Link
      to="/leads"
      search={leadsSearchWith(lead.lead_id)}
      className={buttonClasses({ look: 'ghost', className: 'max-sm:px-2' })}
    >
      <ArrowLeft aria-hidden="true" />
      All leads
    </Link>
  );
}

function LeadSkeleton() {
  return (
    <Page title="Lead" hint={<span>&nbsp;</span>} actions={<Skeleton className="h-9 w-40" />}>
      <div role="status" aria-label="Loading">
        <Columns
          first={
            <>
              <Skeleton className="h-44 rounded-xl" />
              <Skeleton className="h-64 rounded-xl" />
            </>
          }
          main={<Skeleton className="h-[36rem] rounded-xl" />}
          last={<Skeleton className="h-64 rounded-xl" />}
        />
      </div>
    </Page>
  );
}

function UnknownLead() {
  return (
    <EmptyState
      icon={<UserX aria-hidden="true" />}
      title="Lead not found"
      action={
        <Link to="/leads" className={buttonClasses()}>
          Go to all leads
        </Link>
      }
    >
      It may have been erased, or the address is incomplete.
    </EmptyState>
  );
}
