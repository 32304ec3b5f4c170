// Brings everything in build-steps.mjs up to date.

import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BUILD_STEPS, type BuildStep, isFresh, stampFile, writeStamp } from './build-steps.mjs';

const ROOT = join(import.meta.dirname, '..');

for (const step of BUILD_STEPS) {
  if (!isFresh(step)) await build(step);
}

async function build(step: BuildStep): Promise<void> {
  console.log(`Building the ${step.name}…`);
  const output = join(ROOT, step.output);
  const partial = `${output}.partial`;
  await mkdir(dirname(output), { recursive: true });
  await rm(partial, { recursive: true, force: true });
  await step.run(partial);
  // Interrupted at any point, this leaves either the old output or one without a stamp.
  await rm(stampFile(step), { force: true });
  // A folder cannot be renamed onto one that is not empty.
  await rm(output, { recursive: true, force: true });
  await rename(partial, output);
  writeStamp(step);
}
