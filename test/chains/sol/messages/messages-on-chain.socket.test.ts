import { AccountRole, type Address, type IInstruction } from "@solana/web3.js";
import { describe, expect, it } from "vitest";
import {
  bytesOfAddress,
  markerOf,
  programs,
  wsolSeedOf,
} from "../../../../lib/chains/sol/calls/addresses.ts";
import { transferLamports } from "../../../../lib/chains/sol/venues/instructions.ts";
import type { AttemptTerms } from "../../../../lib/chains/sol/venues/message-terms.ts";
import {
  compileAny,
  createWithSeed,
  instructionsOf,
  messageOf,
  mostFeeOfTerms,
  solKey,
} from "../../../support/sol-terms.ts";
import { baseFee, isRead, outputOf, rent, sol, walletsOnChain } from "./support/wallets-on-chain.ts";

const { chain, resetPools, accountAt, lamportsOf, newSeller, newWallet, send, setAccount, tokensOf } =
  walletsOnChain();

const slipped = (index: number) => ({ InstructionError: [index, { Custom: 6005 }] });
const marked = { InstructionError: [3, { Custom: 0 }] };

/** Creates the account of wrapped SOL in one step, which anyone can block with a deposit. */
const madeAtOnce = (wallet: Address, account: Address, { orderId, amountIn }: AttemptTerms): IInstruction =>
  createWithSeed(wallet, account, {
    seed: wsolSeedOf(orderId),
    lamports: rent.token + amountIn,
    bytes: 165,
    owner: programs.token,
  });

describe("composed messages on a real chain", () => {
  it("buys the exact amount, and leaves no wrapped SOL", async () => {
    const { name, wallet, buy, own, w } = await newWallet();
    expect(await send(await messageOf(buy), name)).toBe("filled");
    expect(await tokensOf(own)).toBe(buy.minAmountOut);
    expect(await accountAt(w)).toBeUndefined();
    const rents = rent.token + rent.marker;
    expect(10n * sol - (await lamportsOf(wallet))).toBe(sol + rents + mostFeeOfTerms(buy, baseFee));
  });

  it("buys and sells the exact amounts of a Token-2022 token with transfer fees", async () => {
    const { name, wallet, buy, own, w } = await newWallet("FEEZ");
    expect(await send(await messageOf(buy), name)).toBe("filled");
    expect(await tokensOf(own)).toBe(buy.minAmountOut);
    await resetPools();
    const amountIn = buy.minAmountOut;
    const minAmountOut = outputOf("FEEZ", "sell", amountIn);
    const orderId = `${buy.orderId.slice(0, -1)}X`;
    const blockhash = await chain.latestBlockhash();
    const sale: AttemptTerms = { ...buy, side: "sell", amountIn, minAmountOut, orderId, blockhash };
    const before = await lamportsOf(wallet);
    expect(await send(await messageOf({ ...sale, minAmountOut: minAmountOut + 1n }), name)).toEqual(
      slipped(7),
    );
    expect(await send(await messageOf(sale), name)).toBe("filled");
    const costs = rent.marker + 2n * mostFeeOfTerms(sale, baseFee);
    expect((await lamportsOf(wallet)) - before).toBe(minAmountOut - costs);
    expect(await tokensOf(own)).toBe(0n);
    expect(await accountAt(w)).toBeUndefined();
  });

  it("sells the exact amount, and leaves no wrapped SOL", async () => {
    const { name, wallet, sale, own, w } = await newSeller();
    expect(await send(await messageOf(sale), name)).toBe("filled");
    expect(await tokensOf(own)).toBe(0n);
    expect(await accountAt(w)).toBeUndefined();
    const costs = rent.marker + mostFeeOfTerms(sale, baseFee);
    expect((await lamportsOf(wallet)) - 10n * sol).toBe(sale.minAmountOut - costs);
  });

  it("fails a message that would miss its minimum by one unit, at the cost of only its fee", async () => {
    const { name, wallet, buy, own } = await newWallet();
    const dear = { ...buy, minAmountOut: buy.minAmountOut + 1n };
    expect(await send(await messageOf(dear), name)).toEqual(slipped(8));
    expect(await accountAt(own)).toBeUndefined();
    expect(10n * sol - (await lamportsOf(wallet))).toBe(mostFeeOfTerms(buy, baseFee));
    expect(await accountAt(await markerOf(wallet, buy.orderId))).toBeUndefined();
  });

  it("fills an order once: later attempts fail at the marker, whatever their blockhash and price", async () => {
    const { name, buy, own } = await newWallet();
    const eager = { ...buy, minAmountOut: 1n };
    expect(await send(await messageOf(eager), name)).toBe("filled");
    const bought = await tokensOf(own);
    const second = { ...eager, blockhash: await chain.latestBlockhash(), microLamportsPerUnit: 3_000_000n };
    expect(await send(await messageOf(second), name)).toEqual(marked);
    expect(await tokensOf(own)).toBe(bought);
    const unmarked = instructionsOf(await messageOf(second)).toSpliced(2, 2);
    const weaker = compileAny(unmarked, { payer: buy.wallet, blockhash: await chain.latestBlockhash() });
    expect(await isRead(weaker)).toBe(false);
    expect(await send(weaker, name)).toBe("filled");
    expect(await tokensOf(own)).toBeGreaterThan(bought);
  });

  it("would fill an order twice if its marker held no lamports, because blocks keep no empty accounts", async () => {
    const { wallet, name, buy, own } = await newWallet();
    const eager = { ...buy, minAmountOut: 1n };
    const weaker = async (blockhash: string) => {
      const instructions = instructionsOf(await messageOf(eager)).toSpliced(2, 1);
      return compileAny(instructions, { payer: wallet, blockhash });
    };
    const first = await weaker(buy.blockhash);
    expect(await isRead(first)).toBe(false);
    expect(await send(first, name)).toBe("filled");
    const bought = await tokensOf(own);
    expect(await send(await weaker(await chain.latestBlockhash()), name)).toBe("filled");
    expect(await tokensOf(own)).toBeGreaterThan(bought);
  });

  it("clears an order, after which its attempts fail at the marker", async () => {
    const { name, buy, clear, own } = await newWallet();
    expect(await send(await messageOf(clear), name)).toBe("filled");
    expect(await send(await messageOf(buy), name)).toEqual(marked);
    expect(await accountAt(own)).toBeUndefined();
  });

  it("would also fill an order if its wrapped SOL account were made in one step and had no deposit", async () => {
    const { name, wallet, buy, own, w } = await newWallet();
    const weaker = instructionsOf(await messageOf(buy)).toSpliced(4, 2, madeAtOnce(wallet, w, buy));
    expect(await send(compileAny(weaker, { payer: wallet, blockhash: buy.blockhash }), name)).toBe("filled");
    expect(await tokensOf(own)).toBe(buy.minAmountOut);
  });

  it("fills an order despite a deposit on its account of wrapped SOL, and gives the deposit to the wallet", async () => {
    const { name, wallet, buy, own, w } = await newWallet();
    await setAccount(w, rent.empty);
    const weaker = (sound: readonly IInstruction[]) => sound.toSpliced(4, 2, madeAtOnce(wallet, w, buy));
    const blockhash = await chain.latestBlockhash();
    const blocked = compileAny(weaker(instructionsOf(await messageOf(buy))), { payer: wallet, blockhash });
    expect(await isRead(blocked)).toBe(false);
    expect(await send(blocked, name)).toEqual({ InstructionError: [4, { Custom: 0 }] });
    const before = await lamportsOf(wallet);
    expect(await send(await messageOf(buy), name)).toBe("filled");
    expect(await tokensOf(own)).toBe(buy.minAmountOut);
    // The deposit pays for most of the marker's rent.
    const spent = before - (await lamportsOf(wallet));
    expect(spent).toBe(sol + rent.token + rent.marker - rent.empty + mostFeeOfTerms(buy, baseFee));
  });
});

let strangers = 0;

/** Pays lamports into the marker of an order, as anyone can who has seen its message. */
async function depositOnMarker(wallet: Address, orderId: string, lamports = rent.empty): Promise<Address> {
  const marker = await markerOf(wallet, orderId);
  const stranger = `stranger ${strangers++}`;
  const { address: payer } = solKey(stranger);
  await setAccount(payer, sol);
  const blockhash = await chain.latestBlockhash();
  const deposit = compileAny([transferLamports(payer, marker, lamports)], { payer, blockhash });
  expect(await send(deposit, stranger)).toBe("filled");
  return marker;
}

/** Withdraws lamports from an account derived from a seed, as its base account may. */
function takeBySeed(base: Address, account: Address, seed: string): IInstruction {
  const head = Buffer.alloc(20);
  head.writeUInt32LE(11, 0);
  head.writeBigUInt64LE(rent.marker, 4);
  head.writeBigUInt64LE(BigInt(seed.length), 12);
  return {
    programAddress: programs.system,
    accounts: [
      { address: account, role: AccountRole.WRITABLE },
      { address: base, role: AccountRole.READONLY_SIGNER },
      { address: base, role: AccountRole.WRITABLE },
    ],
    data: Uint8Array.from([...head, ...Buffer.from(seed), ...bytesOfAddress(programs.system)]),
  };
}

describe("deposits on the marker of an order", () => {
  it.each([rent.empty, rent.marker, sol / 2n])(
    "fills an order despite an earlier deposit of %s lamports on its marker",
    async (lamports) => {
      const { name, wallet, buy, own } = await newWallet();
      const marker = await depositOnMarker(wallet, buy.orderId, lamports);
      const made = { seed: buy.orderId, lamports: rent.marker, bytes: 1, owner: programs.system };
      const weaker = instructionsOf(await messageOf(buy)).toSpliced(
        2,
        2,
        createWithSeed(wallet, marker, made),
      );
      const blocked = compileAny(weaker, { payer: wallet, blockhash: buy.blockhash });
      expect(await send(blocked, name)).toEqual({ InstructionError: [2, { Custom: 0 }] });
      expect(await send(await messageOf(buy), name)).toBe("filled");
      expect(await tokensOf(own)).toBe(buy.minAmountOut);
      expect(await accountAt(marker)).toMatchObject({
        lamports: Number(lamports + rent.marker),
        data: Buffer.of(0),
      });
      const second = { ...buy, blockhash: await chain.latestBlockhash() };
      expect(await send(await messageOf(second), name)).toEqual(marked);
      expect(await tokensOf(own)).toBe(buy.minAmountOut);
    },
  );

  it("lets a second attempt fill although its marker received a deposit after the first", async () => {
    const { name, wallet, buy, own } = await newWallet();
    const dear = { ...buy, minAmountOut: buy.minAmountOut + 1n };
    expect(await send(await messageOf(dear), name)).toEqual(slipped(8));
    await depositOnMarker(wallet, buy.orderId);
    expect(await send(await messageOf(buy), name)).toBe("filled");
    expect(await tokensOf(own)).toBe(buy.minAmountOut);
  });

  it("lets no later message fill although the marker received a deposit", async () => {
    const { name, wallet, buy, own } = await newWallet();
    const eager = { ...buy, minAmountOut: 1n };
    expect(await send(await messageOf(eager), name)).toBe("filled");
    await depositOnMarker(wallet, buy.orderId);
    const bought = await tokensOf(own);
    const second = { ...eager, blockhash: await chain.latestBlockhash() };
    expect(await send(await messageOf(second), name)).toEqual(marked);
    expect(await tokensOf(own)).toBe(bought);
    const cleared = await newWallet();
    await depositOnMarker(cleared.wallet, cleared.buy.orderId);
    expect(await send(await messageOf(cleared.clear), cleared.name)).toBe("filled");
    expect(await send(await messageOf(cleared.buy), cleared.name)).toEqual(marked);
    expect(await accountAt(cleared.own)).toBeUndefined();
  });

  it("leaves deposits in the marker, where even the wallet's key cannot withdraw them", async () => {
    const { name, wallet, clear } = await newWallet();
    expect(await send(await messageOf(clear), name)).toBe("filled");
    const marker = await markerOf(wallet, clear.orderId);
    const blockhash = await chain.latestBlockhash();
    const taking = compileAny([takeBySeed(wallet, marker, clear.orderId)], { payer: wallet, blockhash });
    expect(await send(taking, name)).toMatchObject({ InstructionError: [0, expect.anything()] });
    expect(await lamportsOf(marker)).toBe(rent.marker);
  });
});
