import { useState } from 'react';

/** Keeps what a dialog is about while it closes. */
export function useLastGiven<T>(value: T | null): T | null {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  return value ?? last;
}
