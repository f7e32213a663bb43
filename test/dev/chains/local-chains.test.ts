import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { chainClient } from "../../../lib/chains/chain-client.ts";
import { blockCall } from "../../../lib/chains/rpc-call.ts";
import { callAnvil } from "../../../lib/dev/chains/call-anvil.ts";
import { openNotes } from "../../../lib/dev/chains/chain-notes.ts";
import { chainPorts, type LocalChains, openLocalChains } from "../../../lib/dev/chains/local-chains.ts";
import { tradingChains } from "../../../lib/domain/trading/trading-chain.ts";
import { tradingContext, tradingOf, tradingProblems } from "../../../lib/infra/trading-context.ts";
import { freePorts } from "../../support/free-ports.ts";
import { alice } from "../../support/local-chain.ts";

function folderForTest(): string {
  const folder = mkdtempSync(join(tmpdir(), "chains-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const ask = async (url: string, method: string, ...params: unknown[]) =>
  (await callAnvil(url, [[method, params]]))[0];

const urlsOf = ({ chains }: LocalChains) => chains.map(({ hosts }) => hosts[0]);

describe("the local chains", () => {
  let chains: LocalChains;
  beforeAll(async () => {
    chains = await openLocalChains({ port: 0, folder: undefined });
    await chains.start();
  });
  afterAll(() => chains[Symbol.asyncDispose]());

  it("are all that the stacks need to trade on them", () => {
    const Context = v.object(tradingContext);
    const context = v.parse(Context, JSON.parse(JSON.stringify(chains.context)));
    expect(tradingProblems(context)).toEqual([]);
    const trading = tradingOf(context);
    expect(Object.keys(trading)).toEqual(tradingChains);
    for (const chain of tradingChains) {
      expect(trading[chain]?.hosts.every((host) => /^http:\/\/127\.0\.0\.1:\d+$/.test(host))).toBe(true);
      expect(trading[chain]?.hosts).toHaveLength(2);
    }
    const withRelay = tradingChains.filter((chain) => trading[chain]?.relay !== undefined);
    expect(withRelay).toEqual(["eth", "bsc"]);
    expect(trading.eth?.relay).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it.each(tradingChains)(
    "have two hosts of %s that agree, with the contracts and 100 coins of alice",
    async (chain) => {
      const { hosts, relay } = chains.chains.find((each) => each.chain === chain) ?? {};
      const client = chainClient({ chain, hosts: hosts ?? [] });
      const { block } = await client.agree((block) => [blockCall(block.number)]);
      expect(block.number).toBeGreaterThanOrEqual(2);
      const url = hosts?.[0] ?? "";
      expect(await ask(url, "eth_getBalance", alice.address, "latest")).toBe("0x56bc75e2d63100000");
      if (relay !== undefined) expect((await fetch(relay, { method: "POST", body: "{}" })).status).toBe(415);
    },
  );

  it("take consecutive ports, so that the stacks stay the same from start to start", async () => {
    const port = await freePorts(chainPorts);
    const consecutive = await openLocalChains({ port, folder: undefined });
    const { hosts: [anvil, second] = [] } = consecutive.chains[3] ?? {};
    const relays = consecutive.chains.flatMap(({ relay }) => relay ?? []);
    await consecutive[Symbol.asyncDispose]();
    const portsOf = (...urls: (string | undefined)[]) =>
      urls.map((url = "") => Number(new URL(url).port) - port);
    expect(portsOf(anvil, second, ...relays)).toEqual([3, 7, 8, 9]);
    expect(chainPorts).toBe(10);
  });
});

describe("the local chains of a data folder", () => {
  it("are there again after their runner was killed, and start over only with `reset`", async () => {
    const folder = folderForTest();
    const port = await freePorts(chainPorts);
    const script = join(import.meta.dirname, "support/chains-process.ts");
    const runner = fork(script, [folder, `${port}`]);
    onTestFinished(() => void runner.kill("SIGKILL"));
    await once(runner, "message");
    const sent = await Promise.all(
      tradingChains.map(async (_, index) => {
        const url = `http://127.0.0.1:${port + index}`;
        const payment = { from: alice.address, to: alice.address, value: "0x1" };
        const hash = await ask(url, "eth_sendTransaction", payment);
        await vi.waitFor(
          async () => expect(await ask(url, "eth_getTransactionReceipt", hash)).not.toBeNull(),
          {
            timeout: 20_000,
            interval: 5,
          },
        );
        return hash;
      }),
    );
    const ended = once(runner, "exit");
    runner.kill("SIGKILL");
    await ended;

    const again = await openLocalChains({ port, folder });
    await again.start();
    const receipts = await Promise.all(
      urlsOf(again).map((url, index) => ask(url, "eth_getTransactionReceipt", sent[index])),
    );
    expect(receipts).toEqual(sent.map((hash) => expect.objectContaining({ transactionHash: hash })));
    expect(again.book.notes.isReset).toBeUndefined();
    await again[Symbol.asyncDispose]();

    const fresh = await openLocalChains({ port, folder, reset: true });
    expect(readdirSync(join(folder, "chains"))).toEqual([]);
    expect(openNotes(folder).notes).toMatchObject({ newest: {}, isReset: true });
    await fresh.start();
    const counts = await Promise.all(
      urlsOf(fresh).map((url) => ask(url, "eth_getTransactionCount", alice.address, "latest")),
    );
    expect(counts).toEqual(tradingChains.map(() => "0x0"));
    await fresh[Symbol.asyncDispose]();
    expect(existsSync(join(folder, "chains/avax.json"))).toBe(true);
  });
});
