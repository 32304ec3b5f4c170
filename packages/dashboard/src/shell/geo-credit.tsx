import { useIsFetching } from '@tanstack/react-query';
import { classes } from '../ui/classes.ts';

/** The licence of the IP database asks for it wherever countries are shown, on paper too. */
export function GeoCredit() {
  const loading = useIsFetching({ predicate: ({ state }) => state.status === 'pending' });
  return (
    <footer
      className={classes(
        'mx-auto w-full max-w-[112rem] px-4 py-5 text-xs text-ink-faint sm:px-6 lg:px-8 print:px-0',
        // Hidden while the page loads, because the growing content moves it (layout shift).
        loading > 0 && 'invisible',
      )}
    >
      Countries from{' '}
      <a href="https://db-ip.com" rel="noreferrer" className="underline underline-offset-2">
        IP geolocation by DB-IP
      </a>
    </footer>
  );
}
