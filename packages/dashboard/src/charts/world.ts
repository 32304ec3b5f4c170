import { type GeoPath, geoEqualEarth, geoPath } from 'd3-geo';
import type { Feature, FeatureCollection, Geometry, Polygon } from 'geojson';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import atlas from 'world-atlas/countries-110m.json?url';
import { ApiProblem } from '../api/client.ts';
import { countryCode, SMALL_COUNTRIES } from './country-codes.ts';

/** Country shapes, projected once; the SVG viewBox scales them. */

export const WORLD_WIDTH = 800;
export const WORLD_HEIGHT = 372;

const ANTARCTICA = 'AQ';
/** Cuts the map in the Bering Strait, which keeps Russia in one piece. */
const ROTATION: [number, number] = [-11, 0];

export type Place = { x: number; y: number; isSmall: boolean };
export type World = {
  shapes: readonly { code: string | undefined; path: string }[];
  /** Where a country's tooltip goes. */
  places: ReadonlyMap<string, Place>;
};

type Named = { name: string };
type Atlas = Topology<{ countries: GeometryCollection<Named> }>;

export async function loadWorld(signal: AbortSignal): Promise<World> {
  const response = await fetch(atlas, { signal });
  if (!response.ok) throw new ApiProblem(response.status, 'The map could not be loaded.');
  const topology: Atlas = await response.json();
  return project(feature(topology, topology.objects.countries));
}

function project(countries: FeatureCollection<Geometry, Named>): World {
  const shown = countries.features
    .map((country) => ({ country, code: countryCode(country.id, country.properties.name) }))
    // Antarctica would take a quarter of the map.
    .filter(({ code }) => code !== ANTARCTICA);
  const projection = geoEqualEarth()
    .rotate(ROTATION)
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

/** The centroid of France's largest polygon, not that of France with Guiana. */
function mainPart({ geometry }: Feature, path: GeoPath): Geometry {
  if (geometry.type !== 'MultiPolygon') return geometry;
  const parts = geometry.coordinates.map((coordinates): Polygon => ({ type: 'Polygon', coordinates }));
  return parts.reduce((main, part) => (path.area(part) > path.area(main) ? part : main));
}
