/** Marks live figures. */
export function Pulse() {
  return (
    <span aria-hidden="true" className="relative grid size-2 shrink-0">
      <span className="absolute inset-0 animate-ping rounded-full bg-positive opacity-60" />
      <span className="rounded-full bg-positive" />
    </span>
  );
}
