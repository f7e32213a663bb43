import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { StartupError } from "cdk-local-runner";
import { freePort } from "cdk-local-runner/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type NoteBook, openNotes } from "../../chain-notes.ts";
import { callAnvil } from "../../evm/call-anvil.ts";
import { localAddresses } from "../../evm/deployment.ts";
import { openEvmMarket } from "../../evm/evm-market.ts";
import { openServedChain, type ServedChain } from "../../evm/served-chain.ts";
import { alice, type TestReceipt as Receipt } from "../../evm/test-chain.ts";
import { giveTestCoins } from "../../test-coins.ts";

const stranger = "0x00000000000000000000000000000000000000aa";

const waiting = { timeout: 20_000, interval: 10 };

function folderForTest(): string {
  const folder = mkdtempSync(join(tmpdir(), "chain-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type Opened = ServedChain & { book: NoteBook; ask(method: string, ...params: unknown[]): Promise<unknown> };

async function opened(
  folder: string,
  { port = 0, secondHost = 0, faults = false, past = false } = {},
): Promise<Opened> {
  const book = openNotes(folder);
  const served = await openServedChain({
    chain: "eth",
    ports: { anvil: port || (await freePort()), firstHost: 0, secondHost, relay: 0 },
    statePath: join(folder, "eth.json"),
    book,
    faults,
    seed: 1,
    warn: () => {},
    times: { blockMs: 20, finalitySeconds: 0.08 },
    past,
  });
  const ask = asking(served.url);
  const close = async () => {
    await served.close();
    await book.saved();
  };
  onTestFinished(close);
  return { ...served, book, ask, close };
}

async function started(folder: string): Promise<Opened> {
  const chain = await opened(folder);
  await chain.start();
  return chain;
}

const asking =
  (url: string) =>
  async (method: string, ...params: unknown[]) =>
    (await callAnvil(url, [[method, params]]))[0];

/** Sends a transaction and waits until it is final. */
async function pay(ask: Opened["ask"], value = 1): Promise<string> {
  const payment = { from: alice.address, to: stranger, value: `0x${value}` };
  const hash = (await ask("eth_sendTransaction", payment)) as string;
  await vi.waitFor(async () => {
    const { number } = (await ask("eth_getBlockByNumber", "finalized", false)) as { number: string };
    const receipt = (await ask("eth_getTransactionReceipt", hash)) as { blockNumber: string } | null;
    expect(receipt).not.toBeNull();
    expect(Number(number)).toBeGreaterThanOrEqual(Number(receipt?.blockNumber));
  }, waiting);
  return hash;
}

describe("a served chain", () => {
  it("refuses to start a chain whose newest block is older than the noted one", async () => {
    const folder = folderForTest();
    const first = await started(folder);
    await pay(first.ask);
    await first.close();
    rmSync(join(folder, "eth.json"));
    const noted = openNotes(folder).notes.newest.eth?.number;
    const second = await opened(folder);
    await expect(second.start()).rejects.toThrow(
      new StartupError(
        `Chain eth went back: it is at block 2, and the table knows block ${noted}. ` +
          "`npm start -- --reset-chains` starts all chains from the beginning.",
      ),
    );
    await second.close();
    expect(openNotes(folder).notes.newest.eth?.number).toBe(noted);
  });

  it("refuses to start a chain that is not the one of the last run", async () => {
    const [folder, other] = [folderForTest(), folderForTest()];
    const first = await started(folder);
    await pay(first.ask);
    await first.close();
    const second = await started(other);
    for (const value of [2, 3]) await pay(second.ask, value);
    await second.close();
    copyFileSync(join(other, "eth.json"), join(folder, "eth.json"));
    await expect((await opened(folder)).start()).rejects.toThrow(
      /^Chain eth is not the one that the table knows\. `npm start -- --reset-chains` [^\n]+$/,
    );
  });

  it("gives a new chain a past of two hours once, in which a pool trades in each block", async () => {
    const folder = folderForTest();
    type Block = { number: string; timestamp: string; transactions: string[] };
    const block = async ({ ask }: Opened, tag: string) =>
      (await ask("eth_getBlockByNumber", tag, false)) as Block;
    const first = await opened(folder, { past: true });
    await first.start();
    const chain = await block(first, "latest");
    const [from, to] = [5, Number(chain.number) - 10];
    expect(to).toBeGreaterThan(250);
    const times: number[] = [];
    for (let number = from; number < to; number += 30) {
      const { timestamp, transactions } = await block(first, `0x${number.toString(16)}`);
      const [receipt] = (await first.ask("eth_getBlockReceipts", `0x${number.toString(16)}`)) as Receipt[];
      expect([transactions.length, receipt?.status]).toEqual([1, "0x1"]);
      times.push(Number(timestamp) - Date.now() / 1000);
    }
    expect(times[0]).toBeLessThan(-7000);
    expect(times.at(-1)).toBeGreaterThan(-1200);
    expect(Math.abs(Number(chain.timestamp) - Date.now() / 1000)).toBeLessThan(20);
    const { pools } = await openEvmMarket({ chain: "eth", url: first.url, token: localAddresses.moon });
    for (const { price, unit } of [pools[0], pools[2]].flatMap((pool) => pool ?? []))
      expect([price, unit]).toEqual([expect.closeTo(0.000104, 7), "WETH"]);
    await first.close();

    const second = await opened(folder, { past: true });
    await second.start();
    expect(Number((await block(second, "latest")).number)).toBeLessThan(Number(chain.number) + 100);
    await second.close();
  });

  it("gives advice if the chain's state cannot be read", async () => {
    const folder = folderForTest();
    copyFileSync(import.meta.filename, join(folder, "eth.json"));
    await expect((await opened(folder)).start()).rejects.toThrow(
      /^anvil did not start: [^\n]+\. `npm start -- --reset-chains` [^\n]+$/,
    );
  });

  it("gives test coins on top of what a wallet holds, and none to a contract that refuses them", async () => {
    const chain = await started(folderForTest());
    const local = { chains: [chain], sol: undefined };
    await pay(chain.ask);
    const gifts = [1, 2].map(() => giveTestCoins(local, "eth", stranger));
    expect(await Promise.all(gifts)).toEqual(["given", "given"]);
    expect(BigInt((await chain.ask("eth_getBalance", stranger, "latest")) as string)).toBe(
      20n * 10n ** 18n + 1n,
    );
    expect(await giveTestCoins(local, "eth", localAddresses.moon)).toBe("refused");
  });

  it("saves the chain's state whenever it is idle", async () => {
    const folder = folderForTest();
    const savedAtMs = () => statSync(join(folder, "eth.json"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const chain = await started(folder);
    await vi.waitFor(() => expect(savedAtMs()).toBeGreaterThan(0), waiting);
    const before = savedAtMs();
    await pay(chain.ask);
    await vi.waitFor(() => expect(savedAtMs()).toBeGreaterThan(before), waiting);
  });

  it.each<[string, string, unknown[]]>([
    ["a transaction that it does not have", "eth_getTransactionReceipt", [`0x${"1".repeat(64)}`]],
    ["the final block", "eth_getBlockByNumber", ["finalized", false]],
  ])("makes a block when the second host is asked for %s", async (_, method, params) => {
    const chain = await started(folderForTest());
    const height = async () => Number(await chain.ask("eth_blockNumber"));
    await pay(chain.ask);
    await vi.waitFor(async () => {
      const before = await height();
      await pause(100);
      expect(await height()).toBe(before);
    }, waiting);
    const before = await height();
    await asking(chain.hosts[1])(method, ...params);
    await vi.waitFor(async () => expect(await height()).toBeGreaterThan(before), waiting);
  });

  it("finalizes a block after four more blocks, as configured, and notes it as final", async () => {
    const chain = await started(folderForTest());
    await pay(chain.ask);
    const heightOf = async (tag: string) =>
      Number(((await chain.ask("eth_getBlockByNumber", tag, false)) as { number: string }).number);
    await vi.waitFor(async () => {
      const latest = await heightOf("latest");
      expect(await heightOf("finalized")).toBe(latest - 4);
      expect(chain.book.notes.newest.eth).toMatchObject({ number: latest, final: { number: latest - 4 } });
    }, waiting);
  });

  it("gives both hosts their own faults if faults are enabled", async () => {
    const { url, hosts } = await opened(folderForTest(), { faults: true });
    expect(new Set([url, ...hosts]).size).toBe(3);
    const faults = (host: string, init?: RequestInit) => fetch(`${host}/_local/faults`, init);
    const headers = { "Content-Type": "application/json" };
    await faults(hosts[0], { method: "PUT", headers, body: '{"zeroTips":true}' });
    expect(await (await faults(hosts[0])).json()).toEqual({ zeroTips: true });
    expect(await (await faults(hosts[1])).json()).toEqual({});
  });

  it("uses anvil itself as the first host if faults are disabled", async () => {
    const { url, hosts } = await opened(folderForTest());
    expect(hosts[0]).toBe(url);
  });

  it("accepts only JSON, which pages of other sites cannot send", async () => {
    const chain = await opened(folderForTest());
    for (const url of [chain.hosts[1], chain.relay ?? ""]) {
      const headers = { "Content-Type": "text/plain" };
      expect((await fetch(url, { method: "POST", headers, body: "{}" })).status).toBe(415);
    }
  });

  it("needs anvil's port to be free, but moves the other servers to any free port", async () => {
    const taken = createServer();
    await once(taken.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    await expect(opened(folderForTest(), { port })).rejects.toThrow(
      `Port ${port} is in use; stop what listens on it, or choose another with --chain-port.`,
    );
    const chain = await opened(folderForTest(), { secondHost: port });
    expect(new URL(chain.hosts[1]).port).not.toBe(`${port}`);
    setTimeout(() => taken.close(), 100);
    expect((await opened(folderForTest(), { port })).url).toBe(`http://127.0.0.1:${port}`);
  });
});
