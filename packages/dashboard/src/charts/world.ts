import { type GeoPath, geoEqualEarth, geoPath } from 'd3-geo';
import type { Feature, FeatureCollection, Geometry, Polygon } from 'geojson';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import atlas from 'world-atlas/countries-110m.json?url';
import { ApiProblem } from '../api/client.ts';
import { countryCode, SMALL_COUNTRIES } from './country-codes.ts';

/** The shapes of the countries, projected once; the picture is scaled by the browser. */

export const WORLD_WIDTH = 800;
export const WORLD_HEIGHT = 372;

const ANTARCTICA = 'AQ';
/** Through the Bering Strait, so that the east of Russia stays with the rest of it. */
const WHERE_TO_CUT: [number, number] = [-11, 0];

export type Place = { x: number; y: number; isSmall: boolean };
export type World = {
  shapes: readonly { code: string | undefined; path: string }[];
  /** Where something about a country can be written. */
  places: ReadonlyMap<string, Place>;
};

type Named = { name: string };
type Atlas = Topology<{ countries: GeometryCollection<Named> }>;

export async function loadWorld(signal: AbortSignal): Promise<World> {
  const response = await fetch(atlas, { signal });
  if (!response.ok) throw new ApiProblem(response.status, 'The map could not be loaded.');
  const topology: Atlas = await response.json();
  return drawn(feature(topology, topology.objects.countries));
}

function drawn(countries: FeatureCollection<Geometry, Named>): World {
  const shown = countries.features
    .map((country) => ({ country, code: countryCode(country.id, country.properties.name) }))
    // It would take a quarter of the picture, and nobody visits from there.
    .filter(({ code }) => code !== ANTARCTICA);
  const projection = geoEqualEarth()
    .rotate(WHERE_TO_CUT)
    .fitSize([WORLD_WIDTH, WORLD_HEIGHT], {
      type: 'FeatureCollection',
      features: shown.map(({ country }) => country),
    });
  const path = geoPath(projection).digits(1);

  const places = new Map<string, Place>();
  for (const { country, code } of shown) {
    if (code === undefined || places.has(code)) continue;
    const [x, y] = path.centroid(mainPart(country, path));
    places.set(code, { x, y, isSmall: false });
  }
  for (const [code, [longitude, latitude]] of Object.entries(SMALL_COUNTRIES)) {
    const [x, y] = projection([longitude, latitude]) ?? [0, 0];
    places.set(code, { x, y, isSmall: true });
  }
  return { shapes: shown.map(({ country, code }) => ({ code, path: path(country) ?? '' })), places };
}

/** The middle of France is in France, wherever else it has land. */
function mainPart({ geometry }: Feature, path: GeoPath): Geometry {
  if (geometry.type !== 'MultiPolygon') return geometry;
  const parts = geometry.coordinates.map((coordinates): Polygon => ({ type: 'Polygon', coordinates }));
  return parts.reduce((main, part) => (path.area(part) > path.area(main) ? part : main));
}
