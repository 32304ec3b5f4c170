export type BuildStep = {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly run: (outFile: string) => Promise<void>;
};

export const BUILD_STEPS: readonly BuildStep[];
export function isFresh(step: BuildStep): boolean;
export function stampFile(step: BuildStep): string;
export function writeStamp(step: BuildStep): void;
