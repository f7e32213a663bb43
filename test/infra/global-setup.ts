import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder for the templates that the workers of this run share. */
    templates: string;
  }
}

/** Provides a folder for one run only, because another run may have different sources. */
export default function setUp(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "shared-templates-"));
  project.provide("templates", folder);
  return () => rmSync(folder, { recursive: true });
}
