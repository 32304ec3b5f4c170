/** Hosting, VPN and proxy networks, most of which cannot be told by their names. CDNs are left out. */
const HOSTING_PROVIDERS: Readonly<Record<string, readonly number[]>> = {
  '31173 Services (Mullvad)': [39351, 49399, 214813, 216025],
  Aeza: [210644, 216246],
  'Akamai Cloud (Linode)': [48337, 63949],
  'Akenes (Exoscale)': [61098],
  Alibaba: [24429, 37963, 45102, 134963],
  'Amazon Web Services': [7224, 8987, 14618, 16509, 38895],
  Anexia: [42473],
  Aruba: [31034, 199653, 199883, 200185, 202613, 205727, 213224],
  'B2 Net Solutions (ServerMania)': [55286],
  'Baidu Cloud': [38365, 38627, 55967],
  Beget: [198610, 213533],
  'BytePlus and Volcano Engine': [137718, 150436, 396986],
  Clouvider: [34202, 35545, 62240, 202791, 202792, 206136, 206822, 207019, 207158, 214578, 401881],
  'ColoCrossing (HostPapa)': [36352, 54290],
  Contabo: [40021, 51167, 141995],
  'Crea Nova': [51765],
  'Datacamp (CDN77)': [60068, 211612, 212238],
  DediPath: [35913],
  DigitalOcean: [14061, 46652, 393406],
  'E2E Networks': [132420],
  Eonix: [30693, 49532, 62904],
  'Equinix Metal (Packet)': [54825],
  Fasthosts: [15418],
  FlokiNET: [200651],
  'Fly.io': [40509],
  'FranTech (BuyVM)': [53667],
  'G-Core Labs': [59245, 199524, 202422, 210559],
  Gandi: [29169, 203476],
  GoDaddy: [26496, 31815, 398101, 398787, 400754],
  'Google, which carries parts of its cloud': [15169],
  'Google Cloud': [16550, 19527, 36384, 36385, 36411, 394089, 396178, 396982, 214609, 214611],
  'GSL Networks': [7578, 137409],
  Hetzner: [24940, 212317, 213230, 215859],
  Hivelocity: [29802, 61317],
  Hostinger: [47583, 204915],
  HostRoyale: [39486, 44144, 46516, 133499, 134450, 203020, 204287, 207990, 396931],
  'Huawei Cloud': [55990, 131444, 136907, 141180, 149167, 151610],
  'Hydra Communications': [25369, 49999, 58325, 200039],
  'i3D.net': [49544],
  'IBM Cloud (SoftLayer)': [36351],
  Ikoula: [21409],
  Infomaniak: [29222],
  Internap: [10912, 10913, 12178, 12179, 12180, 12182, 13789, 13791, 14742, 14743, 14744, 14745, 32475],
  InterServer: [19318, 26666],
  IONOS: [8560],
  'IP Volume': [202425],
  'IPXO, which leases addresses': [834],
  Kamatera: [36007, 41436, 204548, 210329, 215728],
  Keyweb: [31103],
  Krypt: [4213, 35908],
  'Latitude.sh': [262287, 396356],
  Leaseweb: [
    7203, 16265, 19148, 27411, 28753, 30633, 32613, 38930, 59253, 60626, 60781, 133752, 134351, 136988,
    205544, 393886, 394380, 395954, 396190, 396362,
  ],
  'Limestone Networks': [46475],
  'Liquid Web': [32244, 36444, 53824],
  LogicWeb: [64286],
  // M247's British networks connect offices and are left out.
  M247: [9009, 33970, 51332],
  Melbikomas: [8849, 44571, 49287, 50098, 56630],
  MEVSPACE: [201814],
  'Microsoft Azure': [8068, 8069, 8070, 8075, 12076, 200517],
  'Misaka Network': [917, 23961, 35487],
  Multacom: [35916],
  myLoc: [15960, 41412, 42263],
  Namecheap: [22612],
  NetActuate: [36236, 63911],
  netcup: [197540, 214996],
  'Newfold (Bluehost)': [29873, 46606],
  NForce: [43350, 64437],
  Nocix: [32097, 33387],
  Obenetwork: [3399],
  Oracle: [31898, 54253, 64102],
  OVHcloud: [16276, 35540],
  'PacketHub (NordVPN)': [136787, 141039, 147049, 207137, 272096],
  Performive: [22384, 46562],
  phoenixNAP: [11572, 12189, 19437, 20454, 53605, 59210],
  'Proton, whose VPN leaves here': [62371, 199218, 208172, 209103],
  'Psychz Networks': [40676, 63993, 328153],
  QuadraNet: [8100],
  Railway: [400940],
  'REG.RU': [49352, 197695],
  ReliableSite: [23470],
  'SAKURA Internet': [7684, 9370, 9371],
  // AS29447 bears Scaleway's name, but was an access provider's; left out.
  Scaleway: [12876, 54265, 202023],
  Selectel: [49505, 50340, 61976],
  Sharktech: [46844],
  Snowd: [213459],
  Strato: [6724],
  Tencent: [45090, 132203, 132591, 133478],
  'The Constant Company (Vultr, Choopa)': [11508, 20473, 46407, 54094],
  'Tier.Net': [397423],
  Timeweb: [9123, 51789, 204427, 210976],
  'Tor exits': [4224, 62744, 205100, 208323, 396507, 401370],
  tzulo: [11878],
  'UKFast (ANS)': [61323],
  velia: [29066, 30083],
  Voxility: [3223, 39743],
  'Windscribe and IVPN': [203619, 397540],
  WorldStream: [8315, 25525, 28836, 49981, 265825],
  xTom: [3204, 3214, 3258, 4785, 6233, 8888, 9312],
  'Yandex Cloud': [200350, 210656, 215013],
  Zenlayer: [4229, 21859, 29752, 38854, 59798, 62610, 139625, 393502],
};

/** Networks that people browse from, although their names or other customers suggest servers. */
const ACCESS_NETWORKS: ReadonlySet<number> = new Set([
  13335, // Cloudflare, whose WARP is switched on by default on many devices
  36183, // Akamai, exit of Apple's private relay
  54113, // Fastly, exit of Apple's private relay
  714, // Apple
  6185, // Apple
  37611, // Afrihost, a South African access provider
  39834, // Fiberhost, a Polish fibre network
  196792, // Fiberhost
  41012, // The Cloud, public Wi-Fi in the United Kingdom
]);

const CURATED_ASNS: ReadonlySet<number> = new Set(Object.values(HOSTING_PROVIDERS).flat());

/** Words that only hosting companies have in their names. */
const HOSTING_WORDS =
  /hosting|hospedagem|data[ -]?cent(?:er|re)|(?:dedicated|virtual|private|cloud) servers?\b|vpn\b|co-?location|cloud (?:computing|services?)|bare ?metal|rackspace/i;

/** Words that other names contain as well: ghost, hostel, observer, the city of St. Cloud, Cloudflare. */
const LIKELY_WORDS =
  /(?<!g)host(?!el|age)|(?<!\b(?:st\.? |saint |mc))cloud(?!flare)|\bvps|\bcolo\b|(?<!ob|con)servers?\b/i;

/** Access providers and institutions; with one of these a likely word proves nothing. */
const ACCESS_WORDS =
  /tele[ckf]|telepho|broadband|banda larga|wi-?fi|wireless|cable|\bisp\b|fib(?:er|re|ra)|internet service|provedor|universi|college|school|hotel|bank|hospital|health|\b(?:city|county|state|town) of\b/i;

export function soundsLikeHosting(organisation: string): boolean {
  if (HOSTING_WORDS.test(organisation)) return true;
  return LIKELY_WORDS.test(organisation) && !ACCESS_WORDS.test(organisation);
}

export function isHostingNetwork(asn: number, organisation: string): boolean {
  if (ACCESS_NETWORKS.has(asn)) return false;
  return CURATED_ASNS.has(asn) || soundsLikeHosting(organisation);
}
