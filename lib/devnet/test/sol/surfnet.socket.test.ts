import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { PortTakenError } from "../../chain-process.ts";
import { programs } from "../../sol/published.ts";
import { type Surfnet, type SurfnetOptions, startSurfnet } from "../../sol/surfnet.ts";

const options: SurfnetOptions = {
  slotMs: 60_000,
  jupiter: { program: programs.jupiter, bump: 255 },
};

let chain: Surfnet;
beforeAll(async () => {
  chain = await startSurfnet(options);
});
afterAll(() => chain.stop());

describe("startSurfnet", () => {
  it("keeps the chain running after more events than its queue holds", async () => {
    const first = (await chain.request("getSlot", [{ commitment: "processed" }])) as number;
    // Makes more events than the queue holds, which is 1024: each time travel makes three events.
    const slots = 400;
    for (let slot = first + 1; slot <= first + slots; slot++)
      await chain.request("surfnet_timeTravel", [{ absoluteSlot: slot }]);
    expect(await chain.request("getSlot", [{ commitment: "processed" }])).toBe(first + slots);
  }, 20_000);
});

describe("a port that another program has taken", () => {
  /** Makes the first starts hang with an error, as Surfpool does. Returns a function that counts all starts. */
  async function loseFirstPorts(lost: number, complaint: string) {
    const folder = await mkdtemp(join(tmpdir(), "surfnet-starts-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const preload = `
      import { readdirSync, writeFileSync } from "node:fs";
      const starts = ${JSON.stringify(folder)};
      writeFileSync(starts + "/" + process.pid, "");
      if (readdirSync(starts).length <= ${lost}) {
        console.error(${JSON.stringify(complaint)});
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      }`;
    vi.stubEnv("NODE_OPTIONS", `--import data:text/javascript,${encodeURIComponent(preload)}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    return async () => (await readdir(folder)).length;
  }

  it.each([
    "Error: RPC port 40527 is already in use. Try --port or --ws-port to use a different port.",
    "\nthread 'WebSocket RPC Handler' (17594) panicked at shutdown.rs:51:21:\nCannot drop a runtime",
  ])("starts the chain on another port after: %j", async (complaint) => {
    const starts = await loseFirstPorts(2, complaint);
    const { request, stop } = await startSurfnet(options);
    onTestFinished(stop);
    expect(await request("getHealth")).toBe("ok");
    expect(await starts()).toBe(3);
  });

  it("gives up after losing five ports", async () => {
    const starts = await loseFirstPorts(9, "Error: WebSocket port 44029 is already in use.");
    const error = await startSurfnet(options).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(PortTakenError);
    expect(String(error)).toContain(
      "The chain sol did not start: Error: WebSocket port 44029 is already in use",
    );
    expect(await starts()).toBe(5);
  });
});
