import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type Deployment, deployedStage } from "./support/deployment.ts";
import { startRunner } from "./support/runner.ts";

/** Says which deployment the tests run against: the one of the environment, else a local runner started for them. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const stage = deployedStage(process.env);
  if (stage !== undefined) {
    project.provide("deployment", stage);
    return async () => {};
  }
  const folder = await mkdtemp(join(tmpdir(), "e2e-"));
  const dataDir = join(folder, "data");
  const runner = await startRunner({ output: join(folder, "output"), dataDir });
  const deployment: Deployment = {
    baseUrl: runner.baseUrl,
    streamUrl: runner.streamUrl,
    allowedOrigin: "http://localhost:5173",
    tokens: { from: "issuer" },
    local: { port: runner.port, dataDir, output: runner.output },
  };
  project.provide("deployment", deployment);
  return async () => {
    await runner.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
