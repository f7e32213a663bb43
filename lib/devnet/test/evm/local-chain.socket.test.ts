import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEther } from "ethers/utils";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startAnvil } from "../../evm/anvil.ts";
import { deployment } from "../../evm/deployment.ts";
import { sendAsDeployer, startLocalChain } from "../../evm/local-chain.ts";
import { alice, startTestChain, type TestChain } from "../../evm/test-chain.ts";

const multicall = "0xcA11bde05977b3631167028862bE2a173976CA11";
const wallet = alice.address;

describe("a local chain", () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startTestChain();
  });
  afterEach(() => chain.restore());
  afterAll(() => chain.close());

  it("mines only on request, and finalizes a block two blocks later", async () => {
    const number = async (tag: string) =>
      Number(((await chain.request("eth_getBlockByNumber", [tag, false])) as { number: string }).number);
    const before = await number("latest");
    await chain.request("eth_sendTransaction", [{ from: wallet, to: wallet, value: "0x1" }]);
    expect(await number("latest")).toBe(before);
    await chain.mine(3);
    expect(await number("latest")).toBe(before + 3);
    expect(await number("finalized")).toBe(before + 1);
  });

  it("deploys Multicall3 before its pools", async () => {
    expect(await chain.request("eth_getCode", [multicall, "0x0"])).not.toBe("0x");
  });

  it("undoes a test's changes of the chain", async () => {
    await chain.request("eth_sendTransaction", [{ from: wallet, to: wallet, value: "0x1" }]);
    await chain.restore();
    const [nonce, pending] = await Promise.all(
      ["latest", "pending"].map((tag) => chain.request("eth_getTransactionCount", [wallet, tag])),
    );
    expect([nonce, pending]).toEqual(["0x0", "0x0"]);
    const coins = (await chain.request("eth_getBalance", [wallet, "latest"])) as string;
    expect(BigInt(coins)).toBe(parseEther("100"));
  });
});

describe("startLocalChain", () => {
  it("completes a chain whose first start was interrupted", async () => {
    const statePath = join(tmpdir(), `chain-${randomUUID()}.json`);
    try {
      const early = await startAnvil({ chainId: 1, port: 0, statePath });
      await sendAsDeployer(early.url, 0, deployment("eth"));
      await early.stop();
      const chain = await startLocalChain({ chain: "eth", statePath });
      expect(await chain.request("eth_getCode", [multicall, "latest"])).not.toBe("0x");
      await chain.close();
    } finally {
      await rm(statePath, { force: true });
    }
  });

  it("starts a chain of the requested age, and continues at the present time after a restart", async () => {
    const statePath = join(tmpdir(), `chain-${randomUUID()}.json`);
    const timeOf = async (chain: Pick<TestChain, "request">, block: string) =>
      Number(
        ((await chain.request("eth_getBlockByNumber", [block, false])) as { timestamp: string }).timestamp,
      );
    const now = Math.floor(Date.now() / 1000);
    try {
      const young = await startLocalChain({ chain: "eth", statePath, bornAt: now - 86_400 });
      expect(await timeOf(young, "0x0")).toBe(now - 86_400);
      expect(await timeOf(young, "latest")).toBeLessThan(now - 86_000);
      await young.close();
      const chain = await startLocalChain({ chain: "eth", statePath });
      expect(await timeOf(chain, "0x0")).toBe(now - 86_400);
      await chain.request("evm_mine");
      expect(await timeOf(chain, "latest")).toBeGreaterThanOrEqual(now);
      await chain.close();
    } finally {
      await rm(statePath, { force: true });
    }
  });
});
