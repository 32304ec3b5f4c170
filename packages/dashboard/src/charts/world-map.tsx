import { useQuery } from '@tanstack/react-query';
import { scaleThreshold } from 'd3-scale';
import { memo, useId } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { counted, countryName, formatNumber } from '../format.ts';
import type { FigureAddress } from '../frame/figure-address.ts';
import { classes } from '../ui/classes.ts';
import { Skeleton } from '../ui/states.tsx';
import { Loaded } from './loaded.tsx';
import { shadeStarts } from './steps.ts';
import { useCursor } from './use-cursor.ts';
import { useOpen } from './use-open.ts';
import { ValuesTable } from './values-table.tsx';
import { loadWorld, type Place, WORLD_HEIGHT, WORLD_WIDTH, type World } from './world.ts';

/** The page that lists the visits of a country. */
type AddressOf = (count: CountryCount) => FigureAddress | undefined;

export type CountryCount = { country: string; visits: number; visitors: number };

const SHADES = ['0.25', '0.42', '0.6', '0.8', '1'];
const SMALL_RADIUS = 6;

/** Visits by country; a country opens its visits. */
export function WorldMap({ counts, addressOf }: { counts: readonly CountryCount[]; addressOf: AddressOf }) {
  const world = useQuery({
    queryKey: queryKeys.worldMap,
    queryFn: ({ signal }) => loadWorld(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={world} outline={<Skeleton className="aspect-[2.15] w-full" />}>
      {(loaded) => <Shaded world={loaded} counts={counts} addressOf={addressOf} />}
    </Loaded>
  );
}

function Shaded({
  world,
  counts,
  addressOf,
}: {
  world: World;
  counts: readonly CountryCount[];
  addressOf: AddressOf;
}) {
  const known = counts.filter(({ country }) => world.places.has(country));
  const { open } = useOpen();
  const cursor = useCursor(known.length, (at, event) => {
    const count = known[at];
    if (count !== undefined) open(addressOf(count), event);
  });
  const helpId = useId();
  const byCountry = new Map(counts.map((count) => [count.country, count]));
  const starts = shadeStarts(
    known.map(({ visits }) => visits),
    SHADES.length,
  );
  const shade = scaleThreshold(starts, ['0', ...shadesFor(starts)]);
  const read = known[cursor.at ?? 0];
  const canOpen = read !== undefined && addressOf(read) !== undefined;

  /** Countries without visits can be hovered but are no points. */
  const point = (code: string) => {
    const index = known.findIndex(({ country }) => country === code);
    return index === -1 ? cursor.leave() : cursor.moveTo(index);
  };

  return (
    <div className="grid gap-3">
      <div className="relative">
        <div
          role="slider"
          tabIndex={0}
          aria-label="Countries on the map, most visits first"
          aria-valuemin={0}
          aria-valuemax={Math.max(0, known.length - 1)}
          aria-valuenow={cursor.at ?? 0}
          aria-describedby={canOpen ? helpId : undefined}
          aria-valuetext={read === undefined ? 'No visits' : describe(read)}
          onKeyDown={cursor.onKeyDown}
          onFocus={(event) => event.target.matches(':focus-visible') && cursor.moveTo(cursor.at ?? 0)}
          onBlur={cursor.leave}
          onPointerDown={cursor.onPointerDown}
          onPointerLeave={cursor.onPointerLeave}
          onClick={cursor.onClick}
          className={classes('rounded-md', canOpen && cursor.at !== null && 'cursor-pointer')}
        >
          <svg aria-hidden="true" viewBox={`0 0 ${WORLD_WIDTH} ${WORLD_HEIGHT}`} className="block w-full">
            {world.shapes.map(({ code, path }, index) => (
              <path
                // biome-ignore lint/suspicious/noArrayIndexKey: The shapes of the world do not move.
                key={index}
                d={path}
                vectorEffect="non-scaling-stroke"
                onPointerEnter={() => point(code ?? '')}
                onPointerDown={() => point(code ?? '')}
                {...look(byCountry.get(code ?? '')?.visits ?? 0, shade)}
              />
            ))}
            {known
              .filter(({ country }) => world.places.get(country)?.isSmall)
              .map(({ country, visits }) => (
                <circle
                  key={country}
                  cx={world.places.get(country)?.x}
                  cy={world.places.get(country)?.y}
                  r={SMALL_RADIUS}
                  vectorEffect="non-scaling-stroke"
                  onPointerEnter={() => point(country)}
                  onPointerDown={() => point(country)}
                  {...look(visits, shade)}
                />
              ))}
            {cursor.at !== null && <Marked world={world} code={read?.country} />}
          </svg>
        </div>
        {cursor.at !== null && read !== undefined && (
          <Readout
            count={read}
            place={world.places.get(read.country)}
            hint={cursor.isTouched && canOpen ? 'Tap again to open' : undefined}
          />
        )}
      </div>
      {canOpen && (
        <p id={helpId} className="hidden">
          Enter opens the visits of the country.
        </p>
      )}
      <Legend starts={starts} />
      <Values counts={counts} addressOf={addressOf} />
    </div>
  );
}

/** Memoised: moving the cursor re-renders the map. */
const Values = memo(function Values({
  counts,
  addressOf,
}: {
  counts: readonly CountryCount[];
  addressOf: AddressOf;
}) {
  return (
    <ValuesTable
      caption="Visits by country"
      columns={['Country', 'Visits', 'Visitors']}
      rows={counts.map((count) => ({
        name: countryName(count.country),
        values: [
          { text: formatNumber(count.visits), address: addressOf(count) },
          { text: formatNumber(count.visitors) },
        ],
      }))}
    />
  );
});

function look(visits: number, shade: (visits: number) => string) {
  return visits === 0
    ? { className: 'fill-line stroke-surface' }
    : { className: 'fill-series-1 stroke-surface', fillOpacity: shade(visits) };
}

/** Drawn last, so that no neighbour covers the outline. */
function Marked({ world, code }: { world: World; code: string | undefined }) {
  return world.shapes
    .filter((shape) => shape.code === code)
    .map(({ path }) => (
      <path
        key={path}
        d={path}
        vectorEffect="non-scaling-stroke"
        strokeWidth={1.5}
        className="pointer-events-none fill-none stroke-ink"
      />
    ));
}

function Readout({
  count,
  place,
  hint,
}: {
  count: CountryCount;
  place: Place | undefined;
  hint: string | undefined;
}) {
  if (place === undefined) return null;
  const isRight = place.x > WORLD_WIDTH / 2;
  const isLow = place.y > WORLD_HEIGHT / 2;
  return (
    <div
      aria-hidden="true"
      className={classes(
        'pointer-events-none absolute z-10 grid gap-0.5 rounded-lg border border-line bg-raised px-3 py-2 text-[0.8125rem] whitespace-nowrap shadow-raised',
        isRight ? '-translate-x-[calc(100%+0.75rem)]' : 'translate-x-3',
        isLow ? '-translate-y-full' : '',
      )}
      style={{ left: `${(place.x / WORLD_WIDTH) * 100}%`, top: `${(place.y / WORLD_HEIGHT) * 100}%` }}
    >
      <p className="font-medium">{countryName(count.country)}</p>
      <p className="text-ink-soft tabular-nums">{counted(count.visits, 'visit')}</p>
      <p className="text-ink-soft tabular-nums">{counted(count.visitors, 'visitor')}</p>
      {hint !== undefined && <p className="text-xs text-ink-faint">{hint}</p>}
    </div>
  );
}

function Legend({ starts }: { starts: readonly number[] }) {
  if (starts.length === 0) return null;
  return (
    <div aria-hidden="true" className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-ink-soft">
      <span>Visits</span>
      {starts.map((start, index) => (
        <span key={start} className="flex items-center gap-1.5 tabular-nums">
          <svg className="size-3 rounded-sm" viewBox="0 0 1 1" aria-hidden="true">
            <rect width="1" height="1" className="fill-series-1" fillOpacity={shadesFor(starts)[index]} />
          </svg>
          {rangeFrom(start, starts[index + 1])}
        </span>
      ))}
    </div>
  );
}

/** With few countries the strongest shades are used. */
function shadesFor(starts: readonly number[]): string[] {
  return SHADES.slice(SHADES.length - starts.length);
}

function rangeFrom(start: number, next: number | undefined): string {
  if (next === undefined) return `${formatNumber(start)} or more`;
  return next - 1 === start ? formatNumber(start) : `${formatNumber(start)}–${formatNumber(next - 1)}`;
}

function describe({ country, visits, visitors }: CountryCount): string {
  return `${countryName(country)}: visits ${formatNumber(visits)}, visitors ${formatNumber(visitors)}`;
}
