/** Maps the atlas's numeric ISO 3166-1 codes to the service's two-letter codes. */

const NUMBERED =
  'AE784 AF004 AL008 AM051 AO024 AQ010 AR032 AT040 AU036 AZ031 BA070 BD050 BE056 BF854 BG100 BI108 BJ204 BN096 ' +
  'BO068 BR076 BS044 BT064 BW072 BY112 BZ084 CA124 CD180 CF140 CG178 CH756 CI384 CL152 CM120 CN156 CO170 CR188 ' +
  'CU192 CY196 CZ203 DE276 DJ262 DK208 DO214 DZ012 EC218 EE233 EG818 EH732 ER232 ES724 ET231 FI246 FJ242 FK238 ' +
  'FR250 GA266 GB826 GE268 GH288 GL304 GM270 GN324 GQ226 GR300 GT320 GW624 GY328 HN340 HR191 HT332 HU348 ID360 ' +
  'IE372 IL376 IN356 IQ368 IR364 IS352 IT380 JM388 JO400 JP392 KE404 KG417 KH116 KP408 KR410 KW414 KZ398 LA418 ' +
  'LB422 LK144 LR430 LS426 LT440 LU442 LV428 LY434 MA504 MD498 ME499 MG450 MK807 ML466 MM104 MN496 MR478 MW454 ' +
  'MX484 MY458 MZ508 NA516 NC540 NE562 NG566 NI558 NL528 NO578 NP524 NZ554 OM512 PA591 PE604 PG598 PH608 PK586 ' +
  'PL616 PR630 PS275 PT620 PY600 QA634 RO642 RS688 RU643 RW646 SA682 SB090 SD729 SE752 SI705 SK703 SL694 SN686 ' +
  'SO706 SR740 SS728 SV222 SY760 SZ748 TD148 TF260 TG768 TH764 TJ762 TL626 TM795 TN788 TR792 TT780 TW158 TZ834 ' +
  'UA804 UG800 US840 UY858 UZ860 VE862 VN704 VU548 YE887 ZA710 ZM894 ZW716';

const BY_NUMBER = new Map(NUMBERED.split(' ').map((entry) => [entry.slice(2), entry.slice(0, 2)]));

/** Shapes without a number, by the country that IP databases assign them to. */
const BY_NAME = new Map([
  ['Kosovo', 'XK'],
  ['N. Cyprus', 'CY'],
  ['Somaliland', 'SO'],
]);

export function countryCode(number: string | number | undefined, name: string): string | undefined {
  return number === undefined ? BY_NAME.get(name) : BY_NUMBER.get(String(number).padStart(3, '0'));
}

/** Countries without a shape at this scale: longitude and latitude. */
export const SMALL_COUNTRIES: Readonly<Record<string, readonly [number, number]>> = {
  AD: [1.6, 42.5],
  AG: [-61.8, 17.1],
  AW: [-70, 12.5],
  BB: [-59.5, 13.2],
  BH: [50.6, 26],
  BM: [-64.8, 32.3],
  CV: [-23.6, 15.1],
  CW: [-69, 12.2],
  GG: [-2.6, 49.5],
  GI: [-5.3, 36.1],
  GU: [144.8, 13.4],
  HK: [114.2, 22.3],
  IM: [-4.5, 54.2],
  JE: [-2.1, 49.2],
  KM: [43.9, -11.9],
  KY: [-81.2, 19.3],
  LC: [-61, 13.9],
  LI: [9.5, 47.2],
  MC: [7.4, 43.7],
  MO: [113.5, 22.2],
  MT: [14.4, 35.9],
  MU: [57.6, -20.3],
  MV: [73.5, 3.2],
  PF: [-149.4, -17.7],
  RE: [55.5, -21.1],
  SC: [55.5, -4.7],
  SG: [103.8, 1.4],
  SM: [12.5, 43.9],
  ST: [6.6, 0.2],
  VI: [-64.9, 18.3],
  WS: [-172.1, -13.8],
};
