/** From the least to the furthest progress. */
const PROGRESS = ['fake', 'new', 'contacted', 'qualified', 'proposal', 'lost', 'won'];

export function furtherAlong(a: string, b: string): string {
  return PROGRESS.indexOf(a) >= PROGRESS.indexOf(b) ? a : b;
}
