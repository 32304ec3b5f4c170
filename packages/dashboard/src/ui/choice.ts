/** What can be chosen in a select. */
export type Choice<V extends string> = { value: V; label: string };
