import { Link } from '@tanstack/react-router';
import { personName } from '../../shared/person-name.ts';
import { buttonClasses } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { SentValues } from '../../ui/sent-values.tsx';
import { Time } from '../../ui/time.tsx';
import { useLastGiven } from '../../ui/use-last-given.ts';
import { WebLink } from '../../ui/web-link.tsx';
import { AcceptButton } from './accept.tsx';
import { type SetAsideKind, type SetAsideLead, whyOf } from './set-aside-kind.ts';

export function LeadDialog({
  lead,
  ipList,
  onAccept,
  onClose,
}: {
  lead: SetAsideLead | undefined;
  ipList: SetAsideKind['ipList'];
  onAccept: ((lead: SetAsideLead) => void) | undefined;
  onClose: () => void;
}) {
  const current = useLastGiven(lead);
  return (
    <Dialog
      isOpen={lead !== undefined}
      onClose={onClose}
      width="wide"
      title={current === null ? '' : personName(current)}
    >
      {current !== null && (
        <>
          <Facts
            facts={[{ name: 'Why', value: whyOf(current, ipList) }, ...knownOf(current)]}
            layout="rows"
          />
          <section className="grid min-w-0 gap-2">
            <h3 className="text-sm">Submitted data</h3>
            <SentValues value={sentIn(current)} />
          </section>
          <footer className="flex flex-wrap justify-end gap-2">
            <Link to={ipList.to} search={{ q: current.ip }} className={buttonClasses({ size: 'small' })}>
              {ipList.label}
            </Link>
            {onAccept !== undefined && <AcceptButton row={current} onAccept={onAccept} />}
          </footer>
        </>
      )}
    </Dialog>
  );
}

function knownOf(lead: SetAsideLead): Fact[] {
  return [
    { name: 'Received', value: <Time value={lead.received_at} /> },
    { name: 'IP address', value: lead.ip },
    { name: 'Page', value: lead.referer && <WebLink address={lead.referer} /> },
    { name: 'Site', value: lead.site_key },
    { name: 'Form', value: lead.form_id },
  ].filter(({ value }) => value !== '');
}

function sentIn({ payload_json }: SetAsideLead): unknown {
  try {
    return JSON.parse(payload_json);
  } catch {
    return payload_json;
  }
}
