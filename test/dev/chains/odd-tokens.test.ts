import { AbiCoder } from "ethers/abi";
import { id } from "ethers/hash";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { encodeCall } from "../../../lib/chains/calldata.ts";
import { tokenABI } from "../../../lib/chains/contract-abi.ts";
import { localAddresses } from "../../../lib/dev/chains/deployment.ts";
import { alice, startTestChain, type TestChain } from "../../support/local-chain.ts";
import { addDryPool, deployOddToken, type OddToken } from "../../support/odd-tokens.ts";

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterEach(() => chain.restore());
afterAll(() => chain.close());

const wallet = alice.address;

async function read(token: string, name: string, ...values: unknown[]) {
  const answer = await chain.call(token, tokenABI.encodeFunctionData(name, values));
  return tokenABI.decodeFunctionResult(name, answer)[0];
}

const buy = (token: string, amountIn: bigint, feeBps = 30) =>
  chain.transact({
    from: wallet,
    ...encodeCall(
      chain.contracts,
      {
        purpose: "swap",
        venue: feeBps === 30 ? "uniswap-v2" : "uniswap-v3",
        feeBps,
        side: "buy",
        token,
        recipient: wallet,
        value: amountIn,
        amountIn,
        minAmountOut: 0n,
        deadline: 10 ** 12,
        hasRefund: feeBps !== 30,
      },
      wallet,
    ),
  });

describe("an odd token", () => {
  it.each<[OddToken, string, unknown]>([
    ["has no decimals", "decimals", 0n],
    ["has 36 decimals", "decimals", 36n],
    ["has 37 decimals", "decimals", 37n],
    ["has 255 decimals", "decimals", 255n],
    ["has a supply beyond 40 digits", "totalSupply", 2n ** 250n],
    ["has no symbol", "symbol", ""],
    ["has a symbol of 10 kB", "symbol", "M".repeat(10_000)],
    ["has a symbol that turns the text around", "symbol", "\u202eXDSU"],
    ["has the symbol of a listed token", "symbol", "USDX"],
  ])("%s", async (name, field, value) => {
    expect(await read(await deployOddToken(chain, name), field)).toBe(value);
  });

  it.each<[OddToken, string | RegExp]>([
    ["reverts every call", /revert/],
    ["eats all gas", /InvalidFEOpcode/],
    ["answers nothing", "0x"],
    ["has texts of 32 bytes", AbiCoder.defaultAbiCoder().encode(["uint256"], [BigInt("0x4f4c44") << 232n])],
  ])("%s", async (name, answer) => {
    const token = await deployOddToken(chain, name);
    const symbol = await chain.call(token, id("symbol()").slice(0, 10)).catch(String);
    if (typeof answer === "string") expect(symbol).toBe(answer);
    else expect(symbol).toMatch(answer);
  });

  it.each<[OddToken, "0x0" | "0x1", boolean]>([
    ["refuses transfers", "0x0", false],
    ["eats the gas of transfers", "0x0", false],
    ["reports transfers that it does not make", "0x1", false],
    ["loses a unit of each transfer", "0x1", true],
    ["returns nothing from transfers", "0x1", true],
    ["changes all balances", "0x1", true],
    ["lies about balances", "0x1", true],
  ])("%s when it is bought", async (name, status, isDelivered) => {
    const token = await deployOddToken(chain, name);
    const receipt = await buy(token, 10n ** 16n);
    expect(receipt.status).toBe(status);
    expect((await read(token, "balanceOf", wallet)) > 0n).toBe(isDelivered);
    if (name === "eats the gas of transfers") expect(Number(receipt.gasUsed)).toBeGreaterThan(900_000);
  });
});

describe("the dry pool", () => {
  it("gives MOON for a tenth of a coin, and the router gives the rest back", async () => {
    await addDryPool(chain);
    const amountIn = 10n ** 18n;
    const coins = async () => BigInt((await chain.request("eth_getBalance", [wallet, "latest"])) as string);
    const before = await coins();
    const { gasUsed, effectiveGasPrice } = await buy(localAddresses.moon, amountIn, 100);
    const spent = before - (await coins()) - BigInt(gasUsed) * BigInt(effectiveGasPrice);
    expect(Number(spent)).toBeCloseTo(1e17, -16);
    expect(await read(localAddresses.moon, "balanceOf", wallet)).toBeGreaterThan(1200n * 10n ** 18n);
  });
});
