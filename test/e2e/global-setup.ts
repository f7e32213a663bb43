import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "cdk-local-runner/testing";
import { freePorts } from "trading-terminal-devnet/free-ports";
import { chainPorts } from "trading-terminal-devnet/local-chains";
import type { TestProject } from "vitest/node";
import { type Deployment, deployedStage } from "./support/deployment.ts";
import { serveControl, startRunner } from "./support/runner.ts";

/** Provides the deployment to test: the stage that the environment names, or a local runner. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const root = project.vitest.getRootProject();
  const temporary = await mkdtemp(join(tmpdir(), "e2e-"));
  const written = { folder: join(temporary, "written"), secrets: join(temporary, "secrets") };
  for (const folder of Object.values(written)) mkdirSync(folder);
  root.provide("written", written);
  const remove = () => rm(temporary, { recursive: true, force: true });

  const stage = deployedStage(process.env);
  if (stage !== undefined) {
    root.provide("deployment", stage);
    return remove;
  }
  const [port, streamPort] = [await freePort(), await freePort()];
  const chainPort = await freePorts(chainPorts);
  const control = await serveControl(() =>
    startRunner({
      folder: written.folder,
      port,
      streamPort,
      chainPort,
      options: ["--faults", "--loss-sign-in"],
    }),
  );
  root.provide("deployment", {
    baseUrl: `http://127.0.0.1:${port}`,
    streamUrl: `ws://127.0.0.1:${streamPort}`,
    allowedOrigin: "http://localhost:5173",
    tokens: { from: "issuer" },
    local: { port, chainPort, dataDir: join(written.folder, "data"), control: control.url },
  } satisfies Deployment);
  return async () => {
    await control.stop();
    await remove();
  };
}
