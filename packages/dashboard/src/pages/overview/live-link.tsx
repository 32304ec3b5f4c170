import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { formatNumber } from '../../format.ts';
import type { Frame } from '../../frame/frame.ts';
import { buttonClasses } from '../../ui/button.tsx';
import { Pulse } from '../../ui/pulse.tsx';

const POLL_MS = 10_000;

/** The number of visits right now, as a link to them. */
export function LiveLink({ frame }: { frame: Frame }) {
  const asked = { site: frame.sites.join(',') };
  const { data, isError } = useQuery({
    queryKey: queryKeys.live(asked),
    queryFn: ({ signal }) => call('live', { query: asked, signal }),
    refetchInterval: POLL_MS,
    refetchIntervalInBackground: false,
  });
  // Hidden rather than out of date.
  if (data === undefined || isError) return null;
  return (
    <Link to="/live" className={buttonClasses({ look: 'ghost', className: 'tabular-nums' })}>
      <Pulse />
      {formatNumber(data.total)} live now
    </Link>
  );
}
