import { useSyncExternalStore } from 'react';
import { type LeadsSearch, type LeadsView, viewOf } from './search.ts';

/** Named views of the leads: presets, and those saved in this browser. */

export type NamedView = { name: string; view: LeadsView };
export type SavedView = NamedView & { id: string };

export const VIEW_NAME_CHARS_MAX = 40;

export const PRESETS: readonly NamedView[] = [
  { name: 'All', view: {} },
  { name: 'To review', view: { seen: false } },
  { name: 'Follow-ups', view: { has_follow_ups: true } },
  { name: 'Won', view: { status: 'won' } },
  { name: 'Fake', view: { status: 'fake' } },
];

const FILTER_KEYS = ['status', 'has_follow_ups', 'seen', 'project', 'source', 'campaign'] as const;
const VIEW_KEYS = ['layout', 'q', 'sort', ...FILTER_KEYS] as const;

/** The preset with these filters, whatever the search and the order. */
export function presetOf(search: LeadsSearch): NamedView | undefined {
  return PRESETS.find(({ view }) => FILTER_KEYS.every((key) => view[key] === search[key]));
}

export function savedViewOf(search: LeadsSearch, saved: readonly SavedView[]): SavedView | undefined {
  return saved.find(({ view }) => VIEW_KEYS.every((key) => view[key] === search[key]));
}

export function hasFilters(search: LeadsSearch): boolean {
  return search.q !== undefined || FILTER_KEYS.some((key) => search[key] !== undefined);
}

/** It differs from all presets. */
export function isWorthSaving(search: LeadsSearch): boolean {
  return presetOf(search) === undefined || search.q !== undefined || search.sort !== undefined;
}

const NAME = 'leadtrail_dashboard_lead_views';
const listeners = new Set<() => void>();
let kept: { text: string | null; views: readonly SavedView[] } = { text: null, views: [] };

export function useSavedViews(): readonly SavedView[] {
  return useSyncExternalStore(onChange, savedViews);
}

export function savedViews(): readonly SavedView[] {
  const text = storedText();
  if (text !== kept.text) kept = { text, views: readViews(text) };
  return kept.views;
}

/** Replaces a view of the same name. */
export function saveView(name: string, search: LeadsSearch): void {
  const others = savedViews().filter((each) => !isSameName(each.name, name));
  keepViews([...others, { id: newId(), name, view: viewOf(search) }]);
}

export function renameView(id: string, name: string): void {
  keepViews(
    savedViews()
      .filter((each) => each.id === id || !isSameName(each.name, name))
      .map((each) => (each.id === id ? { ...each, name } : each)),
  );
}

export function deleteView(id: string): void {
  keepViews(savedViews().filter((each) => each.id !== id));
}

export function restoreView(view: SavedView, index: number): void {
  keepViews(savedViews().toSpliced(index, 0, view));
}

export function isSameName(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Validates what is in storage, which other versions may have written. */
function readViews(text: string | null): SavedView[] {
  try {
    const read: unknown = JSON.parse(text ?? '[]');
    return (Array.isArray(read) ? read : []).flatMap((each) => {
      const { id, name, view } = Object(each);
      if (typeof id !== 'string' || typeof name !== 'string') return [];
      return [{ id, name: name.slice(0, VIEW_NAME_CHARS_MAX), view: viewOf(Object(view)) }];
    });
  } catch {
    return [];
  }
}

function keepViews(views: readonly SavedView[]): void {
  const text = JSON.stringify(views);
  try {
    localStorage.setItem(NAME, text);
  } catch {
    closedStorage = text;
  }
  for (const listener of listeners) listener();
}

/** Fallback where storage is blocked: views live as long as the page. */
let closedStorage: string | null = null;

function storedText(): string | null {
  try {
    return closedStorage ?? localStorage.getItem(NAME);
  } catch {
    return closedStorage;
  }
}

/** Includes changes made in other tabs. */
function onChange(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

/** `crypto.randomUUID` exists only in secure contexts. */
function newId(): string {
  return crypto.getRandomValues(new Uint32Array(2)).join('-');
}
