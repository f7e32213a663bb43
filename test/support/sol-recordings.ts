import { type Address, getCompiledTransactionMessageDecoder } from "@solana/web3.js";
import bs58 from "bs58";
import { expect } from "vitest";
import { programs } from "../../lib/chains/sol/calls/addresses.ts";
import {
  cpmmAuthority,
  cpmmConfigOf,
  cpmmObservationOf,
  cpmmProgram,
  cpmmVaultOf,
} from "../../lib/chains/sol/calls/cpmm-addresses.ts";
import { landedCall } from "../../lib/chains/sol/calls/transaction-call.ts";
import { composeMessage } from "../../lib/chains/sol/messages/compose-message.ts";
import { jupiterProgram, objectionToJupiter, readJupiter } from "../../lib/chains/sol/venues/jupiter.ts";
import { readBuilt } from "../../lib/chains/sol/venues/jupiter-client.ts";
import {
  buildQuestion,
  enforcing,
  jupiterVenue,
  type SwapByJupiter,
} from "../../lib/chains/sol/venues/jupiter-venue.ts";
import { discriminatorOf } from "../../lib/tools/hosts/record.ts";
import { buyTerms, solKey, tipAccount } from "./sol-terms.ts";

type Build = {
  trade: Omit<SwapByJupiter, "amountIn"> & { amountIn: string };
  helper: Address;
  answer: unknown;
};

/** Expects that the signer would compose a message with a recorded answer of Jupiter. */
export async function expectBuildIsAccepted({ trade, helper, answer }: Build): Promise<void> {
  const swap = { ...trade, amountIn: BigInt(trade.amountIn) };
  const venue = await jupiterVenue(swap, helper, readBuilt(answer, await buildQuestion(swap, helper)));
  const { wallet, orderId, side, mint, tokenProgram, amountIn } = swap;
  const order = { wallet, orderId, side, mint, tokenProgram, amountIn, minAmountOut: 1n };
  const composed = await composeMessage({ ...buyTerms, ...order, venue: enforcing(venue, 1n) }, [tipAccount]);
  expect(composed).toHaveProperty("message");
}

type Landed = { name: string; program: Address; id: string; result: unknown };

/** Expects that a recorded transaction has the form that messages and receipts are read by. */
export async function expectLandedIsRead({ name, program, id, result }: Landed): Promise<void> {
  const landed = landedCall(id).read(result);
  if (landed === undefined) throw new Error("The host did not have the transaction");
  expect(bs58.encode(landed.bytes.subarray(1, 65))).toBe(id);
  const message = landed.bytes.subarray(1 + 64 * (landed.bytes[0] ?? 0));
  const { header, staticAccounts, instructions } = getCompiledTransactionMessageDecoder().decode(message);
  const found = instructions.find(
    ({ programAddressIndex, data = [] }) =>
      staticAccounts[programAddressIndex] === program &&
      Buffer.from(data.slice(0, 8)).toString("hex") === discriminatorOf(name),
  );
  const places = found?.accountIndices ?? [];
  // Lookup tables add their writable and then their read-only accounts to those of the message.
  const { loadedAddresses } = (result as { meta: { loadedAddresses?: Record<string, Address[]> } }).meta;
  const all = [...staticAccounts, ...(loadedAddresses?.writable ?? []), ...(loadedAddresses?.readonly ?? [])];
  const accounts = places.map((place) => all[place] as Address);
  const data = Uint8Array.from(found?.data ?? []);
  const isSigner = (place: number) => (places[place] ?? Number.POSITIVE_INFINITY) < header.numSignerAccounts;
  expect(accounts).not.toContain(undefined);
  if (program === jupiterProgram) expectJupiter(name, accounts, data, isSigner);
  else if (program === cpmmProgram) await expectCpmm(accounts, data, isSigner);
  else expect(accounts.some((_, place) => isSigner(place))).toBe(true);
}

function expectJupiter(
  name: string,
  addresses: readonly Address[],
  data: Uint8Array,
  isSigner: (place: number) => boolean,
): void {
  const [authority, source, destination] = name === "route_v2" ? [0, 1, 2] : [1, 2, 5];
  expect(isSigner(authority)).toBe(true);
  const accounts = addresses.map((address) => ({ address, isWritable: false }));
  const read = readJupiter({ accounts, data });
  const of = (side: NonNullable<typeof read>["source"] | undefined, account: number) => ({
    account: addresses[account] as Address,
    mint: side?.mint as Address,
    tokenProgram: side?.tokenProgram as Address,
  });
  for (const side of [read?.source, read?.destination])
    expect([programs.token, programs.token2022]).toContain(side?.tokenProgram);
  const amountIn = new DataView(data.buffer).getBigUint64(name === "route_v2" ? 8 : 9, true);
  const objection = objectionToJupiter(
    { ...buyTerms, wallet: solKey("nobody").address, amountIn, minAmountOut: read?.leastOut ?? 0n },
    { kind: "jupiter", helper: addresses[authority] as Address, sourceDecimals: 9, accounts, data },
    {
      marker: solKey("marker").address,
      source: of(read?.source, source),
      destination: of(read?.destination, destination),
    },
  );
  // Some programs that use Jupiter take a fee, which orders never pay.
  expect([undefined, { refused: "the venue's instruction takes a fee for a platform" }]).toContainEqual(
    objection,
  );
}

async function expectCpmm(
  accounts: readonly Address[],
  data: Uint8Array,
  isSigner: (place: number) => boolean,
): Promise<void> {
  expect([accounts.length, data.length, isSigner(0)]).toEqual([13, 24, true]);
  const [, authority, config, pool, , , vaultIn, vaultOut, , , mintIn, mintOut, observation] =
    accounts as Address[];
  const configs = await Promise.all(Array.from({ length: 16 }, (_, index) => cpmmConfigOf(index)));
  expect(configs).toContain(config);
  expect({ authority, vaultIn, vaultOut, observation }).toEqual({
    authority: await cpmmAuthority(),
    vaultIn: await cpmmVaultOf(pool as Address, mintIn as Address),
    vaultOut: await cpmmVaultOf(pool as Address, mintOut as Address),
    observation: await cpmmObservationOf(pool as Address),
  });
}
