import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    templates: string;
  }
}

/** Gives the workers of a run one folder for the templates that they synthesize. */
export default function setUp(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "shared-templates-"));
  project.provide("templates", folder);
  return () => rmSync(folder, { recursive: true });
}
