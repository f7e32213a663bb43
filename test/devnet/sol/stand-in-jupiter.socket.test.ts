import type { Address } from "@solana/web3.js";
import { startTestSurfnet, type TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  programs,
  tokenAccountOf,
  wsolAccountOf,
  wsolMint,
} from "../../../lib/chains/sol/calls/addresses.ts";
import { composeMessage } from "../../../lib/chains/sol/messages/compose-message.ts";
import { joinTransaction, signMessageAndWipe } from "../../../lib/chains/sol/messages/signed-message.ts";
import { jupiterProgram, jupiterSlippageCode } from "../../../lib/chains/sol/venues/jupiter.ts";
import type { AttemptTerms } from "../../../lib/chains/sol/venues/message-terms.ts";
import { buyTerms, orderId, routeData, solKey } from "../../support/sol-terms.ts";

let chain: TestSurfnet;
beforeAll(async () => {
  chain = await startTestSurfnet();
});
afterAll(() => chain.stop());

const helper = solKey("helper of the stand-in");
const amountIn = 10n ** 9n;

/** A pool of 500 coins and 5.1 million tokens, at 0.25 %. */
const paid = 10_154_242_286n;

const read = (address: Address) => ({ address, isWritable: false });
const written = (address: Address) => ({ address, isWritable: true });

/** Buys ORBIT with a message like the service's, given a quoted output and a slippage. */
async function buy(
  quotedOut: bigint,
  slippageBps: number,
  { isWritten = true, payee = (_: Address) => read(jupiterProgram) } = {},
) {
  const { pools, authority } = chain.deployment.jupiter;
  const { mint, program, vaults } = pools.ORBIT;
  const { address: wallet, seed } = await chain.newWallet();
  const [w, own] = [await wsolAccountOf(wallet, orderId), await tokenAccountOf(wallet, mint, program)];
  const { tip: _, ...terms } = buyTerms;
  const attempt: AttemptTerms = {
    ...terms,
    wallet,
    mint,
    amountIn,
    minAmountOut: 1n,
    blockhash: await chain.latestBlockhash(),
    markerRentLamports: 897_840n,
    wsolRentLamports: 2_039_280n,
    venue: {
      kind: "jupiter",
      helper: helper.address,
      sourceDecimals: 9,
      data: routeData(amountIn, { name: "route_v2", quotedOut, slippageBps }),
      accounts: [
        ...[read(helper.address), written(w), written(own), read(wsolMint), read(mint)],
        ...[read(programs.token), read(program), payee(own), read(authority), read(jupiterProgram)],
        ...[
          (isWritten ? written : read)(helper.address),
          written(w),
          written(own),
          read(wsolMint),
          read(mint),
        ],
        ...[written(vaults.coin), written(vaults.token), read(authority)],
      ],
    },
  };
  const composed = await composeMessage(attempt, []);
  if (!("message" in composed)) throw new Error(JSON.stringify(composed));
  const signatures = [seed, helper.seed].map((each) =>
    signMessageAndWipe(composed.message, Uint8Array.from(each)),
  );
  const { id, bytes } = joinTransaction(composed.message, signatures);
  const sent = await chain.send(Buffer.from(bytes).toString("base64"), id);
  const { value } = (await chain.request("getAccountInfo", [own, { encoding: "base64" }])) as {
    value: { data: [string] } | null;
  };
  const received = value === null ? 0n : Buffer.from(value.data[0], "base64").readBigUInt64LE(64);
  return { error: sent?.meta.err, received };
}

const slippage = { InstructionError: [9, { Custom: jupiterSlippageCode }] };

describe("the stand-in of Jupiter's program", () => {
  it("moves the amount as a delegate and enforces the quoted output minus slippage to the unit", async () => {
    expect(await buy(2n * paid, 4999)).toEqual({ error: slippage, received: 0n });
    expect(await buy(paid + 1n, 0)).toEqual({ error: slippage, received: 0n });
    expect(await buy(paid, 0)).toEqual({ error: null, received: paid });
    expect((await buy(2n * paid, 5100)).error).toBeNull();
  });

  it("refuses a user that it cannot write to, and a payment into another account than the user's", async () => {
    const unknown = { error: { InstructionError: [9, { Custom: 6010 }] }, received: 0n };
    expect(await buy(paid, 0, { isWritten: false })).toEqual(unknown);
    expect(await buy(paid, 0, { payee: written })).toEqual(unknown);
  });
});
