import type { Random } from './random.ts';

/** Fictitious people from many countries. */

export type Country = {
  code: string;
  dialCode: string;
  /** The local format of a mobile number; # is any digit. */
  phone: string;
  timezone: string;
  language: string;
  cities: readonly (readonly [city: string, region: string])[];
  names: keyof typeof NAMES;
};

const NAMES = {
  arabic: {
    first: ['Fatima', 'Omar', 'Layla', 'Yusuf', 'Mariam', 'Khalid', 'Noura', 'Hassan', 'Amina', 'Tariq'],
    last: ['Al Mansoori', 'Haddad', 'Al Qasimi', 'Nasser', 'Rahman', 'Saleh', 'Khoury', 'Al Harbi'],
  },
  chinese: {
    first: ['Wei', 'Xiu Ying', 'Jun', 'Mei', 'Hao', 'Lan', 'Ming', 'Yan', 'Tao', 'Jing'],
    last: ['Chen', 'Wang', 'Li', 'Zhang', 'Liu', 'Yang', 'Huang', 'Lim', 'Tan'],
  },
  dutch: {
    first: ['Sanne', 'Daan', 'Femke', 'Bram', 'Lotte', 'Thijs', 'Anouk', 'Ruben', 'Maud'],
    last: ['de Vries', 'van den Berg', 'Bakker', 'Visser', 'Meijer', 'Smit', 'de Boer'],
  },
  english: {
    first: ['Olivia', 'James', 'Amelia', 'Daniel', 'Grace', 'Thomas', 'Chloe', 'Ethan', 'Ruby', 'Samuel'],
    last: ['Walker', 'Bennett', 'Hughes', 'Carter', 'O’Connor', 'Foster', 'Reid', 'Sullivan', 'Marsh'],
  },
  french: {
    first: ['Camille', 'Hugo', 'Élodie', 'Mathieu', 'Zoé', 'François', 'Inès', 'Théo', 'Margaux'],
    last: ['Lefèvre', 'Moreau', 'Girard', 'Roux', 'Fontaine', 'Chevalier', 'Benoît', 'Dupuis'],
  },
  german: {
    first: ['Anna', 'Jürgen', 'Lena', 'Matthias', 'Jörg', 'Sabine', 'Felix', 'Käthe', 'Moritz', 'Greta'],
    last: ['Schäfer', 'Müller', 'Weiß', 'Krüger', 'Vogel', 'Brandt', 'Köhler', 'Lindner', 'Hofmann'],
  },
  indian: {
    first: ['Priya', 'Arjun', 'Ananya', 'Rahul', 'Kavya', 'Vikram', 'Meera', 'Rohan', 'Isha', 'Sanjay'],
    last: ['Sharma', 'Patel', 'Iyer', 'Deshpande', 'Reddy', 'Kulkarni', 'Nair', 'Singh', 'Mehta', 'Joshi'],
  },
  italian: {
    first: ['Giulia', 'Luca', 'Chiara', 'Matteo', 'Sofia', 'Alessandro', 'Elena', 'Niccolò'],
    last: ['Rossi', 'Ferrari', 'Esposito', 'Ricci', 'Marino', 'Conti', 'De Luca'],
  },
  japanese: {
    first: ['Haruka', 'Kenji', 'Yui', 'Takumi', 'Aiko', 'Ren', 'Sakura', 'Daichi'],
    last: ['Sato', 'Suzuki', 'Takahashi', 'Tanaka', 'Watanabe', 'Ito', 'Kobayashi'],
  },
  kenyan: {
    first: ['Wanjiru', 'Otieno', 'Achieng', 'Kamau', 'Njeri', 'Mwangi', 'Akinyi', 'Kiprop'],
    last: ['Odhiambo', 'Kariuki', 'Wambui', 'Mutua', 'Cheruiyot', 'Maina'],
  },
  polish: {
    first: ['Zofia', 'Paweł', 'Małgorzata', 'Krzysztof', 'Agnieszka', 'Michał', 'Łucja', 'Wojciech'],
    last: ['Kowalska', 'Nowak', 'Wiśniewski', 'Zielińska', 'Wójcik', 'Lewandowski'],
  },
  portuguese: {
    first: ['João', 'Mariana', 'Luís', 'Beatriz', 'Thiago', 'Conceição', 'Rafael', 'Letícia'],
    last: ['Almeida', 'Gonçalves', 'Ribeiro', 'Nogueira', 'Araújo', 'Cardoso'],
  },
  spanish: {
    first: ['Lucía', 'Javier', 'Martín', 'Carmen', 'Iñaki', 'Nuria', 'Álvaro', 'Begoña'],
    last: ['García', 'Muñoz', 'Ibáñez', 'Castaño', 'Ortega', 'Peña', 'Vázquez'],
  },
  turkish: {
    first: ['Ayşe', 'Mehmet', 'Elif', 'Çağrı', 'Zeynep', 'Emre', 'Gül', 'Ömer'],
    last: ['Yılmaz', 'Demir', 'Şahin', 'Çelik', 'Öztürk', 'Aydın'],
  },
} as const;

export const COUNTRIES: readonly Country[] = [
  country('IN', '+91', '98### #####', 'Asia/Kolkata', 'en-IN', 'indian', [
    ['Pune', 'Maharashtra'],
    ['Mumbai', 'Maharashtra'],
    ['Bengaluru', 'Karnataka'],
    ['Hyderabad', 'Telangana'],
  ]),
  country('AE', '+971', '50 ### ####', 'Asia/Dubai', 'en-AE', 'arabic', [
    ['Dubai', 'Dubai'],
    ['Abu Dhabi', 'Abu Dhabi'],
  ]),
  country('DE', '+49', '0151 ########', 'Europe/Berlin', 'de-DE', 'german', [
    ['Berlin', 'Berlin'],
    ['Hamburg', 'Hamburg'],
    ['München', 'Bayern'],
    ['Köln', 'Nordrhein-Westfalen'],
  ]),
  country('GB', '+44', '07700 9#####', 'Europe/London', 'en-GB', 'english', [
    ['London', 'England'],
    ['Manchester', 'England'],
    ['Edinburgh', 'Scotland'],
  ]),
  country('US', '+1', '(512) 555-####', 'America/Chicago', 'en-US', 'english', [
    ['Austin', 'Texas'],
    ['Houston', 'Texas'],
    ['Chicago', 'Illinois'],
  ]),
  country('ES', '+34', '612 ### ###', 'Europe/Madrid', 'es-ES', 'spanish', [
    ['Valencia', 'Comunitat Valenciana'],
    ['Madrid', 'Comunidad de Madrid'],
  ]),
  country('FR', '+33', '06 ## ## ## ##', 'Europe/Paris', 'fr-FR', 'french', [
    ['Paris', 'Île-de-France'],
    ['Lyon', 'Auvergne-Rhône-Alpes'],
  ]),
  country('NL', '+31', '06 ########', 'Europe/Amsterdam', 'nl-NL', 'dutch', [
    ['Amsterdam', 'Noord-Holland'],
    ['Utrecht', 'Utrecht'],
  ]),
  country('IT', '+39', '347 ### ####', 'Europe/Rome', 'it-IT', 'italian', [
    ['Milano', 'Lombardia'],
    ['Roma', 'Lazio'],
  ]),
  country('PL', '+48', '601 ### ###', 'Europe/Warsaw', 'pl-PL', 'polish', [
    ['Warszawa', 'Mazowieckie'],
    ['Kraków', 'Małopolskie'],
  ]),
  country('TR', '+90', '0532 ### ####', 'Europe/Istanbul', 'tr-TR', 'turkish', [['İstanbul', 'İstanbul']]),
  country('SA', '+966', '050 ### ####', 'Asia/Riyadh', 'ar-SA', 'arabic', [['Riyadh', 'Riyadh']]),
  country('PK', '+92', '0301 #######', 'Asia/Karachi', 'en-PK', 'arabic', [['Karachi', 'Sindh']]),
  country('SG', '+65', '8### ####', 'Asia/Singapore', 'en-SG', 'chinese', [['Singapore', 'Singapore']]),
  country('CN', '+86', '138 #### ####', 'Asia/Shanghai', 'zh-CN', 'chinese', [['Shanghai', 'Shanghai']]),
  country('JP', '+81', '090 #### ####', 'Asia/Tokyo', 'ja-JP', 'japanese', [['Tokyo', 'Tokyo']]),
  country('AU', '+61', '0412 ### ###', 'Australia/Sydney', 'en-AU', 'english', [
    ['Sydney', 'New South Wales'],
  ]),
  country('CA', '+1', '(416) 555-####', 'America/Toronto', 'en-CA', 'english', [['Toronto', 'Ontario']]),
  country('BR', '+55', '(11) 9####-####', 'America/Sao_Paulo', 'pt-BR', 'portuguese', [
    ['São Paulo', 'São Paulo'],
  ]),
  country('ZA', '+27', '082 ### ####', 'Africa/Johannesburg', 'en-ZA', 'english', [
    ['Cape Town', 'Western Cape'],
  ]),
  country('KE', '+254', '0712 ######', 'Africa/Nairobi', 'en-KE', 'kenyan', [['Nairobi', 'Nairobi']]),
];

function country(
  code: string,
  dialCode: string,
  phone: string,
  timezone: string,
  language: string,
  names: keyof typeof NAMES,
  cities: Country['cities'],
): Country {
  return { code, dialCode, phone, timezone, language, names, cities };
}

const BY_CODE = new Map(COUNTRIES.map((each) => [each.code, each]));

export function countryOf(code: string): Country {
  const found = BY_CODE.get(code);
  if (found === undefined) throw new Error(`There is no country ${code} in the demo.`);
  return found;
}

export type Person = { name: string; email: string; phone: string; dialCode: string };

const MAIL_DOMAINS = ['example.com', 'example.com', 'example.org', 'example.net'];

/** Unique: two people with the same e-mail address would be one lead. */
export function makePeople(random: Random): (from: Country) => Person {
  const taken = new Set<string>();

  function freeAddress(name: string): string {
    const local = plain(name);
    for (let attempt = 0; ; attempt += 1) {
      const suffix = attempt === 0 ? '' : String(random.integer(2, 99 * attempt));
      const email = `${local}${suffix}@${random.pick(MAIL_DOMAINS)}`;
      if (taken.has(email)) continue;
      taken.add(email);
      return email;
    }
  }

  return (from) => {
    const { first, last } = NAMES[from.names];
    const name = `${random.pick<string>(first)} ${random.pick<string>(last)}`;
    return {
      name,
      email: freeAddress(name),
      phone: random.digits(from.phone),
      dialCode: from.dialCode,
    };
  };
}

const PLAIN_LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ł: 'l', ı: 'i', '’': '' };

function plain(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ßłı’]/g, (letter) => PLAIN_LETTERS[letter] ?? '')
    .replaceAll(/[^a-z]+/g, '.');
}
