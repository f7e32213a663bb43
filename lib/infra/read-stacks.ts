import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CloudFormationStackArtifact } from "aws-cdk-lib/cx-api";
import { terminalApp } from "./app.ts";

/** Context that skips bundling the functions' code. */
export const withoutCode = { "aws:cdk:bundling-stacks": [] };

/**
 * Applies `read` to the stacks for a context, in the order of their deployment. Skips the functions' code and
 * CDK's check of the templates, which take seconds.
 */
export function readStacks<T>(
  context: Record<string, unknown>,
  read: (stacks: CloudFormationStackArtifact[]) => T,
): T {
  const outdir = mkdtempSync(join(tmpdir(), "templates-"));
  try {
    const app = terminalApp({
      outdir,
      builtinCloudFormationValidation: false,
      context: { ...withoutCode, ...context },
    });
    return read(app.synth().stacks);
  } finally {
    rmSync(outdir, { recursive: true });
  }
}
