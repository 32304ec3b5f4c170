import { useState } from 'react';

/** Keeps the last value while a dialog animates out. */
export function useLastGiven<T>(value: T | null | undefined): T | null {
  const [last, setLast] = useState(value ?? null);
  if (value != null && value !== last) setLast(value);
  return value ?? last;
}
