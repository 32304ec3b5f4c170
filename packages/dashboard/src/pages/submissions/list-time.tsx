import { Time } from '../../ui/time.tsx';

/** When something happened; how long ago, where there is little room. */
export function ListTime({ value }: { value: string }) {
  return (
    <>
      <span className="sm:hidden">
        <Time value={value} isAgo />
      </span>
      <span className="hidden sm:inline">
        <Time value={value} />
      </span>
    </>
  );
}
