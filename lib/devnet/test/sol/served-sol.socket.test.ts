import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { StartupError } from "cdk-local-runner";
import { freePort } from "cdk-local-runner/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { programs } from "../../sol/published.ts";
import { graduatedPool } from "../../sol/pump-deployment.ts";
import { openServedSol, type ServedSol } from "../../sol/served-sol.ts";
import { walletNamed } from "../../sol/test-wallet.ts";
import { giveTestCoins } from "../../test-coins.ts";

async function opened({ node = 0, faults = false } = {}): Promise<ServedSol> {
  const ports = { node, firstHost: 0, secondHost: 0, relay: 0 };
  const sol = await openServedSol({ ports, faults, seed: 1, slotMs: 60 });
  onTestFinished(() => sol.close());
  return sol;
}

async function post(url: string, method: string, ...params: unknown[]): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

const ask = async (url: string, method: string, ...params: unknown[]) =>
  (await (await post(url, method, ...params)).json()) as { result?: unknown; error?: unknown };

/** Asks Jupiter's stand-in for a purchase. */
async function buildFor(sol: ServedSol, outputMint: string): Promise<unknown> {
  const inputMint = "So11111111111111111111111111111111111111112";
  const query = new URLSearchParams({
    inputMint,
    outputMint,
    amount: "1000",
    taker: walletNamed("e").address,
  });
  return (await fetch(`${sol.jupiter}?${query}`)).json();
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}

describe("the served chain sol", () => {
  it("knows all addresses before the chain starts, then serves its tokens there, and lets them graduate", async () => {
    const node = await freePort();
    const sol = await opened({ node });
    expect(sol).toMatchObject({ url: `http://127.0.0.1:${node}`, processId: undefined });
    expect(sol.hosts).toEqual([sol.url, expect.stringMatching(/^http:/)]);
    expect((await post(sol.url, "getSlot")).status).toBe(502);
    await sol.start();
    expect(isRunning(sol.processId ?? 0)).toBe(true);
    for (const url of sol.hosts)
      for (const mint of Object.values(sol.tokens))
        expect(await ask(url, "getAccountInfo", mint, { encoding: "base64" })).toMatchObject({
          result: { value: { lamports: expect.any(Number) } },
        });
    const { address } = walletNamed("poor");
    await ask(sol.url, "requestAirdrop", address, 2_000_000_000);
    expect(await ask(sol.url, "getBalance", address)).toMatchObject({ result: { value: 2_000_000_000 } });
    const gifts = [1, 2].map(() => giveTestCoins({ chains: [], sol }, "sol", address));
    expect(await Promise.all(gifts)).toEqual(["given", "given"]);
    expect(await ask(sol.url, "getBalance", address)).toMatchObject({ result: { value: 22_000_000_000 } });
    expect(await ask(sol.relay, "getSlot")).toMatchObject({ error: { code: -32601 } });
    expect(await buildFor(sol, sol.deployment.jupiter.pools.ORBIT.mint)).toMatchObject({
      swapInstruction: { programId: sol.deployment.jupiter.program },
    });
    expect(await buildFor(sol, sol.tokens.MOON)).toEqual({ error: "No routes found" });
    const { curve, mint, program } = sol.deployment.pump.curves.BRIM;
    const { pool } = await graduatedPool(mint, program);
    const { result } = await ask(sol.url, "getAccountInfo", curve, { encoding: "base64" });
    const { value } = result as { value: { data: [string]; lamports: number; owner: string } };
    expect(await ask(sol.url, "getAccountInfo", pool)).toMatchObject({ result: { value: null } });
    const data = Buffer.from(value.data[0], "base64");
    data.writeUInt8(1, 48);
    await sol.request("surfnet_setAccount", [curve, { ...value, data: data.toString("hex") }]);
    await expect
      .poll(() => ask(sol.url, "getAccountInfo", pool), { timeout: 5000 })
      .toMatchObject({ result: { value: { owner: programs.pumpPools } } });
    // Answers the chain's own methods where anvil would, and not at the second host.
    for (const [url, answer] of [
      [sol.url, { result: { value: {} } }],
      [sol.hosts[1], { error: { code: -32601 } }],
    ] as const)
      expect(await ask(url, "surfnet_getSurfnetInfo")).toMatchObject(answer);
    expect(await ask(sol.url, "surfnet_setAccount", "nobody", {})).toMatchObject({ error: {} });
    const processId = sol.processId ?? 0;
    await sol.close();
    expect(isRunning(processId)).toBe(false);
  });

  it("offers faults on both hosts, the relay and Jupiter, but keeps one host honest", async () => {
    const sol = await opened({ faults: true });
    const servers = [...sol.hosts, ...[sol.relay, sol.jupiter].map((url) => new URL(url).origin)];
    expect(new Set([sol.url, ...servers]).size).toBe(5);
    const faultsAt = async (url: string) => (await fetch(`${url}/_local/faults`)).status;
    expect(await Promise.all(servers.map(faultsAt))).toEqual([200, 200, 200, 200]);
    expect(await faultsAt(sol.url)).not.toBe(200);
  });

  it("fails to open if the node's port is in use", async () => {
    const { url } = await opened();
    await expect(opened({ node: Number(new URL(url).port) })).rejects.toThrow(StartupError);
  });

  it("ends the chain when its runner is killed", async () => {
    const module = import.meta.resolve("../../sol/local-sol.ts");
    const program = `import { startLocalSol } from ${JSON.stringify(module)};
      console.log((await startLocalSol({ slotMs: 60 })).processId);
      setInterval(() => {}, 1000);`;
    const runner = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void runner.kill("SIGKILL"));
    const [line] = (await once(createInterface({ input: runner.stdout }), "line")) as [string];
    expect(isRunning(Number(line))).toBe(true);
    runner.kill("SIGKILL");
    await expect.poll(() => isRunning(Number(line))).toBe(false);
  });
});
