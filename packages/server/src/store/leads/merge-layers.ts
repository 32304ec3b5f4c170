import type { Selectable } from 'kysely';
import { nameKey } from '../../domain/leads/lead-listing.ts';
import { furtherAlong } from '../../domain/leads/stage.ts';
import type { LeadRow } from '../schema.ts';
import type { Belongings } from './belongings.ts';
import { fill } from './follow-up.ts';
import { isBotOfPerson, SHOWN_COLUMNS } from './submission.ts';

/**
 * The merges into a lead as layers. Any layer can be taken out again: those above it are then reapplied as if
 * it had never been there.
 */

export type Row = Selectable<LeadRow>;

/** What it takes to undo a merge. */
export type Undo = Belongings & {
  /** The merged lead, as it was. */
  lead: Row;
  /** Primary submissions that have become follow-ups. */
  demoted: number[];
  /** The columns of the survivor that the merge sets, before and after it. */
  before: Partial<Row>;
  after: Partial<Row>;
  /** Position among the merges into the survivor. Missing in merges by earlier versions. */
  order?: number;
};

export type Layer = { id: number; undo: Undo };

/** Without the search text, which is rebuilt after every merge. */
const SHOWN = [...SHOWN_COLUMNS.filter((column) => column !== 'search_text'), 'shown_submission_id' as const];

function isShown(column: string): boolean {
  return (SHOWN as readonly string[]).includes(column);
}

/** The columns of the survivor after a merge. */
export function afterMerge(survivor: Row, going: Row): Partial<Row> {
  const shown = shows(going, survivor) ? followedBy(going, survivor) : followedBy(survivor, going);
  return {
    ...Object.fromEntries(SHOWN.map((column) => [column, shown[column]])),
    status: furtherAlong(survivor.status, going.status),
    crm_lead_id: survivor.crm_lead_id ?? going.crm_lead_id,
    value_micros: survivor.value_micros ?? going.value_micros,
    // The maximum, not the sum: a removed lead of another project may have been linked to both.
    forgotten_submissions: Math.max(survivor.forgotten_submissions, going.forgotten_submissions),
    created_at: Math.min(survivor.created_at, going.created_at),
    is_bot_lead: Math.min(survivor.is_bot_lead, going.is_bot_lead),
    needs_review: Math.max(survivor.needs_review, going.needs_review),
  };
}

/** As if the other lead's enquiry had been a follow-up. */
function followedBy(lead: Row, other: Row): Row {
  if (isBotOfPerson(lead, other)) return lead;
  const filled = fill(lead, other);
  return { ...lead, ...filled, name_key: nameKey(filled.contact_name) };
}

/** A person's enquiry shows before a bot's, and of two alike the earlier. */
export function shows(one: Row, other: Row): boolean {
  if (one.is_bot_lead !== other.is_bot_lead) return one.is_bot_lead === 0;
  return (
    one.created_at < other.created_at || (one.created_at === other.created_at && one.lead_id < other.lead_id)
  );
}

/**
 * The lead without one of the merges into it. `layers` are all merges into it, oldest first, including nested
 * ones, which came along with another merged lead. What they say about the lead is updated in place.
 */
export function withoutLayer(row: Row, layers: readonly Layer[], outId: number): Row {
  const own = ownFrom(layers, outId);
  const [changed] = own;
  if (changed === undefined) return row;
  let change: Change = changed.id === outId ? changed.undo : remade(row, changed, layers, outId);
  for (const { undo } of own.slice(1)) {
    if (!isWhole(undo) || !isWhole(change)) continue;
    const before = unlessChanged(undo.before, change);
    const after = afterMerge({ ...row, ...before }, undo.lead);
    change = { before: after, after: undo.after };
    Object.assign(undo, { before, after });
  }
  return { ...row, ...unlessChanged(row, change) };
}

type Change = Pick<Undo, 'before' | 'after'>;

/** The merges into the lead itself, from the one that `id` is or came along with. */
function ownFrom(layers: readonly Layer[], id: number): Layer[] {
  const own = layers.filter((layer) => !layers.some(({ undo }) => undo.merges.includes(layer.id)));
  const start = own.findIndex((layer) => layer.id === id || layer.undo.merges.includes(id));
  return start === -1 ? [] : own.slice(start);
}

function layersWithin(layers: readonly Layer[], { merges }: Undo): Layer[] {
  return layers.filter(({ id }) => merges.includes(id));
}

/** The CRM id of the lead, as if one of the leads merged into it had had `crmId` before. Updates `layers` in place. */
export function withCrmId(
  current: string | null,
  layers: readonly Layer[],
  { id: mergedId, crmId }: { id: number; crmId: string },
): string | null {
  const own = ownFrom(layers, mergedId);
  let change: { before: string | null; after: string | null } | undefined;
  const changed = (value: string | null) =>
    change !== undefined && value === change.before ? change.after : value;
  for (const { id, undo } of own) {
    const { lead } = undo;
    if (id === mergedId) lead.crm_lead_id = crmId;
    else lead.crm_lead_id = withCrmId(lead.crm_lead_id, layersWithin(layers, undo), { id: mergedId, crmId });
    // Earlier versions kept only what had changed.
    const before = changed(undo.before.crm_lead_id ?? null);
    const after = before ?? lead.crm_lead_id;
    change = { before: undo.after.crm_lead_id ?? null, after };
    undo.before.crm_lead_id = before;
    undo.after.crm_lead_id = after;
  }
  return changed(current);
}

/** For a nested merge: the lead that it came along with stays merged. */
function remade(row: Row, { undo }: Layer, layers: readonly Layer[], outId: number): Change {
  const within = layersWithin(layers, undo);
  const { before, after } = undo;
  undo.lead = withoutLayer(undo.lead, within, outId);
  const out = within.find(({ id }) => id === outId)?.undo;
  if (out !== undefined)
    Object.assign(undo, belongingsWithout(undo, out), {
      merges: without(undo.merges, [...out.merges, outId]),
    });
  if (!isWhole(undo)) return { before: after, after };
  undo.after = afterMerge({ ...row, ...before }, undo.lead);
  return { before: undo.after, after };
}

/** Without what belongs to a lead that has been taken out. */
function belongingsWithout(all: Belongings, gone: Belongings): Omit<Belongings, 'merges'> {
  const isGone = (one: Identified) => gone.identities.some((other) => isSameIdentity(one, other));
  return {
    submissions: without(all.submissions, gone.submissions),
    sends: without(all.sends, gone.sends),
    crmActivity: without(all.crmActivity, gone.crmActivity),
    identities: all.identities.filter((identity) => !isGone(identity)),
  };
}

type Identified = Belongings['identities'][number];

function isSameIdentity(one: Identified, other: Identified): boolean {
  return one.kind === other.kind && one.value === other.value;
}

function without<T>(all: readonly T[], gone: readonly T[]): T[] {
  return all.filter((each) => !gone.includes(each));
}

/** Earlier versions kept only what had changed. */
function isWhole({ before }: Change): boolean {
  return 'contact_name' in before;
}

/** Undoes a merge: restores the old value of each column that still has the one the merge set. */
function unlessChanged(now: Partial<Row>, { before, after }: Change): Partial<Row> {
  const isTakenOver = 'shown_submission_id' in after && now.shown_submission_id !== after.shown_submission_id;
  // Back to a bot's lead: what people have sent leaves with the person.
  const isBotAgain = !isTakenOver && before.is_bot_lead === 1 && after.is_bot_lead === 0;
  const isKept = (column: keyof Row) => {
    if ((isTakenOver || isBotAgain) && isShown(column)) return isTakenOver;
    return now[column] !== after[column];
  };
  const isRestored = (column: keyof Row) =>
    // The session may have been stored after the merge.
    !isKept(column === 'session_id' && before.visitor_id !== after.visitor_id ? 'visitor_id' : column);
  const restored = Object.entries(before).filter(([column]) => isRestored(column as keyof Row));
  return { ...now, ...Object.fromEntries(restored) };
}
