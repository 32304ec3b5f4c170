import { useState } from 'react';

/** Keeps what a dialog is about while it closes. */
export function useLastGiven<T>(value: T | null | undefined): T | null {
  const [last, setLast] = useState(value ?? null);
  if (value != null && value !== last) setLast(value);
  return value ?? last;
}
