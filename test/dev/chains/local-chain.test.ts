import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Interface } from "ethers/abi";
import { parseEther, parseUnits } from "ethers/utils";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { encodeCall } from "../../../lib/chains/calldata.ts";
import { tokenABI, v2RouterABI } from "../../../lib/chains/contract-abi.ts";
import { startAnvil } from "../../../lib/dev/chains/anvil.ts";
import { deployer, deployment, localAddresses } from "../../../lib/dev/chains/deployment.ts";
import { sendAsDeployer, startLocalChain } from "../../../lib/dev/chains/local-chain.ts";
import type { SwapCall } from "../../../lib/domain/trading/intent.ts";
import { alice, startTestChain, type TestChain } from "../../support/local-chain.ts";

const { moon, usdx, taxd, trap, wrapped, v2Router, v3Quoter } = localAddresses;
const multicall = "0xcA11bde05977b3631167028862bE2a173976CA11";
const wallet = alice.address;

const others = new Interface([
  "function quoteExactInputSingle((address tokenIn, address tokenOut, uint256 amountIn, uint24 fee, uint160 sqrtPriceLimitX96)) returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 ticks, uint256 gas)",
  "function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])",
  "function getL1Fee(bytes) view returns (uint256)",
]);

const swap = (changes: Partial<SwapCall>): SwapCall => ({
  purpose: "swap",
  venue: "uniswap-v2",
  feeBps: 30,
  side: "buy",
  token: moon,
  recipient: wallet,
  value: changes.side === "sell" ? 0n : (changes.amountIn ?? 0n),
  amountIn: 0n,
  minAmountOut: 1n,
  deadline: 10 ** 12,
  hasRefund: false,
  ...changes,
});

describe("a local chain", () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startTestChain();
  });
  afterEach(() => chain.restore());
  afterAll(() => chain.close());

  async function read(abi: Interface, to: string, name: string, ...values: unknown[]) {
    const data = abi.encodeFunctionData(name, values);
    return abi.decodeFunctionResult(name, await chain.call(to, data));
  }

  async function balanceOf(token: string, owner = wallet): Promise<bigint> {
    const [balance] = await read(tokenABI, token, "balanceOf", owner);
    return balance;
  }

  const coins = async () => BigInt((await chain.request("eth_getBalance", [wallet, "latest"])) as string);

  const execute = (call: Parameters<typeof encodeCall>[1]) =>
    chain.transact({ from: wallet, ...encodeCall(chain.contracts, call, wallet) });

  const approve = ({ venue, token, amountIn: amount }: SwapCall) =>
    execute({ purpose: "approve", venue, token, amount });

  it("sells MOON for what the contract's example says", async () => {
    const { status } = await execute(swap({ amountIn: parseEther("0.5") }));
    expect(status).toBe("0x1");
    expect(await balanceOf(moon)).toBe(parseEther("4960.273038901078125544"));
  });

  it.each([
    ["MOON", moon, 30],
    ["USDX", usdx, 5],
  ])("trades %s on v3 at the quoter's price, both ways", async (_, token, feeBps) => {
    const quote = async (tokenIn: string, tokenOut: string, amountIn: bigint) => {
      const question = [tokenIn, tokenOut, amountIn, feeBps * 100, 0];
      return (await read(others, v3Quoter, "quoteExactInputSingle", question))[0] as bigint;
    };
    const bought = await quote(wrapped, token, parseEther("0.5"));
    await execute(swap({ venue: "uniswap-v3", feeBps, token, amountIn: parseEther("0.5"), hasRefund: true }));
    expect(await balanceOf(token)).toBe(bought);

    const sale = swap({ venue: "uniswap-v3", feeBps, side: "sell", token, amountIn: bought });
    const paid = await quote(token, wrapped, bought);
    await approve(sale);
    const before = await coins();
    const { gasUsed, effectiveGasPrice } = await execute(sale);
    expect(await coins()).toBe(before + paid - BigInt(gasUsed) * BigInt(effectiveGasPrice));
    expect(await balanceOf(token)).toBe(0n);
  });

  it("prices USDX at what the simulated venue says of the coin", async () => {
    const [amounts] = await read(v2RouterABI, v2Router, "getAmountsOut", 10n ** 12n, [wrapped, usdx]);
    expect(amounts[1]).toBe(parseUnits("0.002592", 6));
  });

  it("takes 5 % of TAXD in each direction", async () => {
    const amountIn = parseEther("0.5");
    const [[, sent]] = await read(v2RouterABI, v2Router, "getAmountsOut", amountIn, [wrapped, taxd]);
    await execute(swap({ token: taxd, amountIn }));
    const held = await balanceOf(taxd);
    expect(held).toBe(sent - sent / 20n);
    const sale = swap({ side: "sell", token: taxd, amountIn: held });
    await approve(sale);
    const { logs } = await execute(sale);
    const taxes = logs.filter(({ topics }) => topics[2] === `0x${"0".repeat(64)}`);
    expect(taxes.map(({ data }) => BigInt(data))).toEqual([held / 20n]);
  });

  it("lets nobody sell TRAP", async () => {
    await execute(swap({ token: trap, amountIn: parseEther("0.5") }));
    const sale = swap({ side: "sell", token: trap, amountIn: await balanceOf(trap) });
    expect((await approve(sale)).status).toBe("0x1");
    expect((await execute(sale)).status).toBe("0x0");
  });

  it("answers many calls in one", async () => {
    const symbols = [moon, usdx, taxd, trap, wrapped].map((target) => [
      target,
      false,
      tokenABI.encodeFunctionData("symbol"),
    ]);
    const failing = [moon, true, "0x12345678"];
    const [results] = await read(others, multicall, "aggregate3", [...symbols, failing]);
    expect(results.map(({ success }: { success: boolean }) => success)).toEqual([
      ...symbols.map(() => true),
      false,
    ]);
    const texts = results
      .slice(0, -1)
      .map(
        ({ returnData }: { returnData: string }) => tokenABI.decodeFunctionResult("symbol", returnData)[0],
      );
    expect(texts).toEqual(["MOON", "USDX", "TAXD", "TRAP", "WETH"]);
    await expect(read(others, multicall, "aggregate3", [[moon, false, "0x12345678"]])).rejects.toThrow(
      "Multicall3: call failed",
    );
  });

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

  it("forgets what a test did", async () => {
    await chain.request("eth_sendTransaction", [{ from: wallet, to: wallet, value: "0x1" }]);
    await chain.restore();
    const [nonce, pending] = await Promise.all(
      ["latest", "pending"].map((tag) => chain.request("eth_getTransactionCount", [wallet, tag])),
    );
    expect([nonce, pending]).toEqual(["0x0", "0x0"]);
    expect(await coins()).toBe(parseEther("100"));
  });
});

describe("startLocalChain", () => {
  it("keeps the chain in its state file, and deploys nothing twice", async () => {
    const statePath = join(tmpdir(), `chain-${randomUUID()}.json`);
    try {
      const first = await startTestChain({ chain: "bsc", statePath });
      const call = swap({ amountIn: parseEther("0.5") });
      await first.transact({ from: wallet, ...encodeCall(first.contracts, call, wallet) });
      await first.mine(2);
      const head = await first.request("eth_getBlockByNumber", ["latest", false]);
      await first.close();

      const second = await startTestChain({ chain: "bsc", statePath });
      const held = await second.call(moon, tokenABI.encodeFunctionData("balanceOf", [wallet]));
      expect(BigInt(held)).toBe(parseEther("4960.273038901078125544"));
      expect(await second.request("eth_getBlockByNumber", ["latest", false])).toEqual(head);
      expect(await second.request("eth_chainId")).toBe("0x38");
      await second.close();
    } finally {
      await rm(statePath, { force: true });
    }
  });

  it("ends anvil, which writes its state, when this process is killed", async () => {
    const statePath = join(tmpdir(), `chain-${randomUUID()}.json`);
    const program = `
      import { startLocalChain } from "${import.meta.resolve("../../../lib/dev/chains/local-chain.ts")}";
      const chain = await startLocalChain({ chain: "eth", statePath: "${statePath}" });
      console.log(chain.url);
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
    const [url] = await once(child.stdout, "data");
    child.kill("SIGKILL");
    await vi.waitFor(() => expect(fetch(String(url).trim())).rejects.toThrow(), { timeout: 10_000 });
    expect(await readFile(statePath, "utf8")).toContain(deployer);
    await rm(statePath);
  });

  it("completes a chain whose first start ended too early", async () => {
    const statePath = join(tmpdir(), `chain-${randomUUID()}.json`);
    try {
      const early = await startAnvil({ chainID: 1, port: 0, statePath });
      await sendAsDeployer(early.url, 0, deployment("eth"));
      await early.stop();
      const chain = await startLocalChain({ chain: "eth", statePath });
      expect(await chain.request("eth_getCode", [multicall, "latest"])).not.toBe("0x");
      await chain.close();
    } finally {
      await rm(statePath, { force: true });
    }
  });

  it("names the wrapped coin after the chain's, and has the L1 oracle on base", async () => {
    const chains = await Promise.all((["base", "avax"] as const).map((chain) => startTestChain({ chain })));
    const symbols = chains.map(async (chain) => {
      const symbol = await chain.call(wrapped, tokenABI.encodeFunctionData("symbol"));
      return tokenABI.decodeFunctionResult("symbol", symbol)[0];
    });
    expect(await Promise.all(symbols)).toEqual(["WETH", "WAVAX"]);
    expect(chains.map(({ contracts }) => contracts.wrapped.symbol)).toEqual(["WETH", "WAVAX"]);

    const oracle = "0x420000000000000000000000000000000000000F";
    const question = others.encodeFunctionData("getL1Fee", ["0x0102"]);
    const fees = await Promise.all(chains.map((chain) => chain.call(oracle, question)));
    expect(fees).toEqual([`0x${(70n * 5_000_000_000n).toString(16).padStart(64, "0")}`, "0x"]);
    await Promise.all(chains.map((chain) => chain.close()));
  });

  it("says why it does not start", async () => {
    const chain = await startLocalChain({ chain: "eth" });
    const port = Number(new URL(chain.url).port);
    await expect(startLocalChain({ chain: "eth", port })).rejects.toThrow(/anvil did not start: .*in use/);
    await chain.close();
  });
});
