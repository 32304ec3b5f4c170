import { Clock, Mail, MapPin, MessageSquare, Phone } from 'lucide-react';
import type { ReactNode } from 'react';
import { countryName } from '../../format.ts';
import { Card } from '../../ui/card.tsx';
import { classes } from '../../ui/classes.ts';
import { CopyIcon } from '../../ui/copy-button.tsx';
import { LongText } from '../../ui/long-text.tsx';
import type { Lead } from './data.ts';

export function ContactCard({ lead }: { lead: Lead }) {
  const phone = lead.phone_international;
  const country = lead.contact_country_name && countryName(lead.contact_country_name);
  const place = [lead.contact_city, lead.contact_region, country].filter(Boolean);
  const time = timeThere(lead.contact_timezone);
  return (
    <Card title="Contact">
      <div className="grid gap-1.5">
        {lead.contact_email !== '' && (
          <Line
            icon={<Mail aria-hidden="true" />}
            action={<CopyIcon text={lead.contact_email} label="Copy e-mail address" />}
          >
            <a href={`mailto:${encodeURIComponent(lead.contact_email).replace('%40', '@')}`} className={LINK}>
              <EmailAddress address={lead.contact_email} />
            </a>
          </Line>
        )}
        {phone !== '' && (
          <Line
            icon={<Phone aria-hidden="true" />}
            action={<CopyIcon text={phone} label="Copy phone number" />}
          >
            <a href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`} className={LINK}>
              {phone}
            </a>
          </Line>
        )}
        {lead.contact_email === '' && phone === '' && (
          <p className="text-ink-soft">No e-mail address or phone number was given.</p>
        )}
        {place.length > 0 && (
          <Line icon={<MapPin aria-hidden="true" />}>{[...new Set(place)].join(', ')}</Line>
        )}
        {time !== undefined && <Line icon={<Clock aria-hidden="true" />}>Local time {time}</Line>}
        {lead.message !== '' && (
          <Line isLong icon={<MessageSquare aria-hidden="true" />}>
            <LongText>
              <q>{lead.message}</q>
            </LongText>
          </Line>
        )}
      </div>
    </Card>
  );
}

/** Breaks long addresses before the domain. */
function EmailAddress({ address }: { address: string }) {
  const at = address.lastIndexOf('@');
  if (at === -1) return address;
  return (
    <span>
      {address.slice(0, at)}
      <wbr />
      {address.slice(at)}
    </span>
  );
}

const LINK =
  'inline-flex items-center py-1 wrap-anywhere underline decoration-line-strong underline-offset-2 max-sm:min-h-11';

function Line({
  icon,
  action,
  isLong = false,
  children,
}: {
  icon: ReactNode;
  action?: ReactNode;
  isLong?: boolean;
  children: ReactNode;
}) {
  return (
    <div className="grid min-h-8 grid-cols-[1.25rem_minmax(0,1fr)_auto] items-center gap-x-2.5">
      <span className={classes('text-ink-faint [&_svg]:size-4', isLong && 'self-start pt-1.5')}>{icon}</span>
      <div className="min-w-0 py-1 break-words">{children}</div>
      {action}
    </div>
  );
}

/** Undefined for time zones that the browser does not know. */
function timeThere(timeZone: string): string | undefined {
  if (timeZone === '') return undefined;
  try {
    return new Intl.DateTimeFormat(navigator.languages as string[], {
      weekday: 'short',
      hour: 'numeric',
      minute: '2-digit',
      timeZone,
    }).format();
  } catch {
    return undefined;
  }
}
