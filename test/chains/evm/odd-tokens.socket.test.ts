import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { tokenABI } from "../../../lib/chains/evm/calls/contract-abi.ts";
import { encodeCall } from "../../../lib/chains/evm/venues/calldata.ts";
import { deployOddToken } from "../../support/odd-tokens.ts";
import { localV2 } from "../../support/trading.ts";

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterEach(() => chain.restore());
afterAll(() => chain.close());

const wallet = alice.address;

const buy = (token: string) => {
  const amountIn = 10n ** 16n;
  const call = {
    purpose: "swap",
    ...localV2,
    side: "buy",
    token,
    recipient: wallet,
  } as const;
  const terms = { value: amountIn, amountIn, minAmountOut: 0n, deadline: 10 ** 12, hasRefund: false };
  return chain.transact({ from: wallet, ...encodeCall(chain.contracts, { ...call, ...terms }, wallet) });
};

/** Checks each oddity directly, because quotes may not show the difference from an ordinary token. */
describe("odd tokens", () => {
  it("deploys a token that shows a thousand times the true balance", async () => {
    const token = await deployOddToken(chain, "lies about balances");
    const { logs } = await buy(token);
    const transfer = logs.find(({ address }) => address === token.toLowerCase());
    const shown = await chain.call(token, tokenABI.encodeFunctionData("balanceOf", [wallet]));
    expect(BigInt(shown)).toBe(1000n * BigInt(transfer?.data ?? 0));
    expect(BigInt(shown)).toBeGreaterThan(0n);
  });

  it("deploys a token that requires an approval of 0 first", async () => {
    const token = await deployOddToken(chain, "wants an approval of 0 first");
    const approve = (value: bigint) =>
      chain.transact({
        from: wallet,
        to: token,
        data: tokenABI.encodeFunctionData("approve", [alice.address, value]),
      });
    const statuses = [];
    for (const value of [5n, 6n, 0n, 6n]) statuses.push((await approve(value)).status);
    expect(statuses).toEqual(["0x1", "0x0", "0x1", "0x1"]);
  });

  it("deploys tokens that eat the gas of transfers, or of every call", async () => {
    const receipt = await buy(await deployOddToken(chain, "eats the gas of transfers"));
    expect(receipt.status).toBe("0x0");
    expect(Number(receipt.gasUsed)).toBeGreaterThan(900_000);
    const asked = chain.call(await deployOddToken(chain, "eats all gas"), "0x95d89b41");
    await expect(asked).rejects.toThrow("InvalidFEOpcode");
  });
});
