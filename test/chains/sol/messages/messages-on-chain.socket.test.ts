import { AccountRole, type Address, address, type IInstruction } from "@solana/web3.js";
import {
  startTestSurfnet,
  type TestSurfnet,
  tokenAccountBytes,
} from "trading-terminal-devnet/sol/test-surfnet";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  bytesOfAddress,
  markerOf,
  programs,
  tokenAccountOf,
  wsolAccountOf,
  wsolMint,
  wsolSeedOf,
} from "../../../../lib/chains/sol/calls/addresses.ts";
import { readMessage } from "../../../../lib/chains/sol/messages/read-message.ts";
import { joinTransaction, signMessageAndWipe } from "../../../../lib/chains/sol/messages/signed-message.ts";
import {
  approveDelegate,
  revokeDelegate,
  transferLamports,
} from "../../../../lib/chains/sol/venues/instructions.ts";
import type { AttemptTerms, MessageTerms } from "../../../../lib/chains/sol/venues/message-terms.ts";
import {
  buyTerms,
  clearTerms,
  compileAny,
  createWithSeed,
  instructionsOf,
  messageOf,
  mostFeeOfTerms,
  solKey,
  thief,
} from "../../../support/sol-terms.ts";

const rent = { token: 2_039_280n, marker: 897_840n, empty: 890_880n };
const baseFee = 5_000n;
const sol = 1_000_000_000n;

let chain: TestSurfnet;
let count = 0;

type Name = keyof TestSurfnet["deployment"]["tokens"];
const tokenOf = (name: Name) => chain.deployment.tokens[name];

const setAccount: TestSurfnet["setAccount"] = (...account) => chain.setAccount(...account);

/** Gives an account of the Token program units for nothing. */
const setTokens = (at: Address, owner: Address, mint: Address, units: bigint) => {
  const isNative = mint === wsolMint;
  const data = tokenAccountBytes(mint, owner, units, { rent: isNative ? rent.token : undefined });
  return setAccount(at, rent.token + (isNative ? units : 0n), programs.token, data);
};

/** Gives the pools their first reserves again, so that each test can compute its prices. */
const resetPools = () =>
  Promise.all(
    chain.deployment.accounts.map(({ address, lamports, owner, data }) =>
      setAccount(address, BigInt(lamports), owner, data),
    ),
  );

const accountAt = async (at: Address): Promise<{ lamports: number; data: Buffer } | undefined> => {
  const options = { encoding: "base64", commitment: "processed" };
  const { value } = (await chain.request("getAccountInfo", [at, options])) as {
    value: { lamports: number; data: [string] } | null;
  };
  return value === null
    ? undefined
    : { lamports: value.lamports, data: Buffer.from(value.data[0], "base64") };
};
const lamportsOf = async (at: Address) => BigInt((await accountAt(at))?.lamports ?? 0);
const tokensOf = async (at: Address) => (await accountAt(at))?.data.readBigUInt64LE(64) ?? 0n;

/** Sends a message signed by these keys. Returns "filled", the error of its block, or "in no block". */
const send = (message: Uint8Array, ...names: string[]): Promise<unknown> =>
  sendFor(undefined, message, ...names);

/** Sends a message like {@link send}, and waits for its block no longer than this. */
async function sendFor(
  patienceMs: number | undefined,
  message: Uint8Array,
  ...names: string[]
): Promise<unknown> {
  const signatures = names.map((name) => signMessageAndWipe(message, solKey(name).seed));
  const { id, bytes } = joinTransaction(message, signatures);
  try {
    const sent = await chain.send(Buffer.from(bytes).toString("base64"), id, patienceMs);
    return sent === undefined ? "in no block" : (sent.meta.err ?? "filled");
  } catch {
    // The chain does not know the blockhash.
    return "in no block";
  }
}

const roundedUp = (value: bigint, divisor: bigint) => (value + divisor - 1n) / divisor;

/** Computes what arrives from a pool that charges 0.25 %, of a token that withholds 1 % of a transfer if it is FEEZ. */
function outputOf(name: Name, side: "buy" | "sell", amountIn: bigint): bigint {
  const [coins, tokens] = [500n * sol, 5_000_000_000_000n];
  const [into, from] = side === "buy" ? [coins, tokens] : [tokens, coins];
  const arriving = (units: bigint) => units - (name === "FEEZ" ? roundedUp(units, 100n) : 0n);
  const arrived = side === "sell" ? arriving(amountIn) : amountIn;
  const traded = arrived - roundedUp(arrived * 2_500n, 1_000_000n);
  const paid = (from * traded) / (into + traded);
  return side === "buy" ? arriving(paid) : paid;
}

/** A wallet with 10 SOL, and the terms of its next order. */
async function newWallet(token: Name = "MOON") {
  const { mint, program: tokenProgram, pool, config } = tokenOf(token);
  const name = `wallet ${count++}`;
  const wallet = solKey(name).address;
  await setAccount(wallet, 10n * sol);
  const common = { ...clearTerms, wallet, blockhash: await chain.latestBlockhash() };
  const { tip: _, ...untipped } = buyTerms;
  const buy: AttemptTerms = {
    ...untipped,
    ...common,
    purpose: "swap",
    mint,
    tokenProgram,
    amountIn: sol,
    minAmountOut: outputOf(token, "buy", sol),
    venue: { kind: "cpmm", pool, config },
  };
  const clear: MessageTerms = { ...common, purpose: "clear" };
  const own = await tokenAccountOf(wallet, mint, tokenProgram);
  return { name, wallet, buy, clear, own, w: await wsolAccountOf(wallet, buy.orderId) };
}

/** A wallet that holds 5,000 MOON, and the terms of their sale. */
async function newSeller() {
  const seller = await newWallet();
  const amountIn = 5_000_000_000n;
  await setTokens(seller.own, seller.wallet, seller.buy.mint, amountIn);
  const minAmountOut = outputOf("MOON", "sell", amountIn);
  const sale: AttemptTerms = { ...seller.buy, side: "sell", amountIn, minAmountOut };
  return { ...seller, sale };
}

const slipped = (index: number) => ({ InstructionError: [index, { Custom: 6005 }] });
const marked = { InstructionError: [3, { Custom: 0 }] };

/** The creation of the account of wrapped SOL in one step, which anybody can block by a deposit. */
const madeAtOnce = (wallet: Address, account: Address, { orderId, amountIn }: AttemptTerms): IInstruction =>
  createWithSeed(wallet, account, {
    seed: wsolSeedOf(orderId),
    lamports: rent.token + amountIn,
    bytes: 165,
    owner: programs.token,
  });

/** The signer signs only what it reads. */
const isRead = async (message: Uint8Array) => (await readMessage(message, [])) !== undefined;

beforeAll(async () => {
  chain = await startTestSurfnet();
});
beforeEach(() => resetPools());
afterAll(() => chain.stop());

describe("a composed message on a chain", () => {
  it("buys to the unit, and leaves no wrapped SOL", async () => {
    const { name, wallet, buy, own, w } = await newWallet();
    expect(await send(await messageOf(buy), name)).toBe("filled");
    expect(await tokensOf(own)).toBe(buy.minAmountOut);
    expect(await accountAt(w)).toBeUndefined();
    const rents = rent.token + rent.marker;
    expect(10n * sol - (await lamportsOf(wallet))).toBe(sol + rents + mostFeeOfTerms(buy, baseFee));
  });

  it("buys and sells a token of Token-2022 that withholds fees, to the unit", async () => {
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

  it("sells to the unit, and leaves no wrapped SOL", async () => {
    const { name, wallet, sale, own, w } = await newSeller();
    expect(await send(await messageOf(sale), name)).toBe("filled");
    expect(await tokensOf(own)).toBe(0n);
    expect(await accountAt(w)).toBeUndefined();
    const costs = rent.marker + mostFeeOfTerms(sale, baseFee);
    expect((await lamportsOf(wallet)) - 10n * sol).toBe(sale.minAmountOut - costs);
  });

  it("fails for one unit less than its minimum, and costs its fee only", async () => {
    const { name, wallet, buy, own } = await newWallet();
    const dear = { ...buy, minAmountOut: buy.minAmountOut + 1n };
    expect(await send(await messageOf(dear), name)).toEqual(slipped(8));
    expect(await accountAt(own)).toBeUndefined();
    expect(10n * sol - (await lamportsOf(wallet))).toBe(mostFeeOfTerms(buy, baseFee));
    expect(await accountAt(await markerOf(wallet, buy.orderId))).toBeUndefined();
  });

  it("fills once: later attempts fail at the marker, whatever their blockhash and price", async () => {
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

  it("would fill twice by a marker without lamports, which no block keeps", async () => {
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

  it("clears an order, so that its attempts fail at the marker", async () => {
    const { name, buy, clear, own } = await newWallet();
    expect(await send(await messageOf(clear), name)).toBe("filled");
    expect(await send(await messageOf(buy), name)).toEqual(marked);
    expect(await accountAt(own)).toBeUndefined();
  });

  it("also fills if wrapped SOL's account is made in one step, unless somebody has paid in", async () => {
    const { name, wallet, buy, own, w } = await newWallet();
    const weaker = instructionsOf(await messageOf(buy)).toSpliced(4, 2, madeAtOnce(wallet, w, buy));
    expect(await send(compileAny(weaker, { payer: wallet, blockhash: buy.blockhash }), name)).toBe("filled");
    expect(await tokensOf(own)).toBe(buy.minAmountOut);
  });

  it("fills with a deposit on its account of wrapped SOL, which the wallet keeps", async () => {
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
    // The deposit pays for most of the marker.
    const spent = before - (await lamportsOf(wallet));
    expect(spent).toBe(sol + rent.token + rent.marker - rent.empty + mostFeeOfTerms(buy, baseFee));
  });
});

/** Pays lamports into the marker of a wallet's order, as anybody can who has seen its message. */
async function depositOnMarker(wallet: Address, orderId: string, lamports = rent.empty): Promise<Address> {
  const marker = await markerOf(wallet, orderId);
  const stranger = `stranger ${count++}`;
  const { address: payer } = solKey(stranger);
  await setAccount(payer, sol);
  const blockhash = await chain.latestBlockhash();
  const deposit = compileAny([transferLamports(payer, marker, lamports)], { payer, blockhash });
  expect(await send(deposit, stranger)).toBe("filled");
  return marker;
}

describe("a deposit on the marker of an order", () => {
  it.each([rent.empty, rent.marker, sol / 2n])(
    "of %s lamports before an attempt does not block it",
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

  it("between two attempts does not keep the second one from filling", async () => {
    const { name, wallet, buy, own } = await newWallet();
    const dear = { ...buy, minAmountOut: buy.minAmountOut + 1n };
    expect(await send(await messageOf(dear), name)).toEqual(slipped(8));
    await depositOnMarker(wallet, buy.orderId);
    expect(await send(await messageOf(buy), name)).toBe("filled");
    expect(await tokensOf(own)).toBe(buy.minAmountOut);
  });

  it("after an attempt or before a clear does not let a later message fill", async () => {
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

  it("stays in the marker: even the wallet's key cannot withdraw it", async () => {
    const { name, wallet, clear } = await newWallet();
    expect(await send(await messageOf(clear), name)).toBe("filled");
    const marker = await markerOf(wallet, clear.orderId);
    const blockhash = await chain.latestBlockhash();
    const taking = compileAny([takeBySeed(wallet, marker, clear.orderId)], { payer: wallet, blockhash });
    expect(await send(taking, name)).toMatchObject({ InstructionError: [0, expect.anything()] });
    expect(await lamportsOf(marker)).toBe(rent.marker);
  });
});

/** Takes the lamports of a seed's account of the System program, which its base may do. */
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

const swapBy = (swap: IInstruction, authority: Address, places: Record<number, Address>): IInstruction => ({
  ...swap,
  accounts: (swap.accounts ?? []).map((account, index) =>
    index === 0
      ? { address: authority, role: AccountRole.READONLY_SIGNER }
      : { ...account, address: places[index] ?? account.address },
  ),
});

const tokenTransfer = (from: Address, to: Address, authority: Address, amount: bigint): IInstruction => {
  const data = Buffer.alloc(9, 3);
  data.writeBigUInt64LE(amount, 1);
  const accounts = [
    { address: from, role: AccountRole.WRITABLE },
    { address: to, role: AccountRole.WRITABLE },
    { address: authority, role: AccountRole.READONLY_SIGNER },
  ];
  return { programAddress: programs.token, accounts, data: Uint8Array.from(data) };
};

describe("an attack on a chain", () => {
  it("takes the proceeds of a sale only where the helper owns the output", async () => {
    const { name, wallet, sale, own, w } = await newSeller();
    const helper = solKey("helper").address;
    const [theirs, helpers] = [solKey("theirs").address, solKey("helper's wrapped SOL").address];
    await setTokens(theirs, thief, wsolMint, 0n);
    await setTokens(helpers, helper, wsolMint, 0n);
    const sound = instructionsOf(await messageOf(sale));
    const [swap, closing] = sound.slice(7) as [IInstruction, IInstruction];
    const source = { account: own, mint: sale.mint, tokenProgram: programs.token };
    const approval = approveDelegate(source, wallet, helper, sale.amountIn, 6);
    const theft = (from: Address) => tokenTransfer(from, theirs, helper, sale.minAmountOut);
    const revocation = revokeDelegate(own, wallet, programs.token);
    const rest = [theft(w), revocation, closing];
    const blockhash = await chain.latestBlockhash();
    const stronger = [...sound.slice(0, 7), approval, swapBy(swap, helper, {}), ...rest];
    const refused = compileAny(stronger, { payer: wallet, blockhash });
    expect(await isRead(refused)).toBe(false);
    // The helper does not own the output.
    expect(await send(refused, name, "helper")).toEqual({ InstructionError: [9, { Custom: 4 }] });
    const owned = swapBy(swap, helper, { 5: helpers });
    const weaker = [...sound.slice(0, 7), approval, owned, theft(helpers), revocation, closing];
    const taken = compileAny(weaker, { payer: wallet, blockhash });
    expect(await isRead(taken)).toBe(false);
    expect(await send(taken, name, "helper")).toBe("filled");
    expect(await tokensOf(theirs)).toBe(sale.minAmountOut);
  });

  it("keeps a message alive by a nonce account only if the message advances it", async () => {
    const { name, wallet, buy, own } = await newWallet();
    const [nonce, helper] = [solKey("nonce").address, solKey("helper").address];
    const data = Buffer.alloc(80);
    data.writeUInt32LE(1, 0);
    data.writeUInt32LE(1, 4);
    data.set(bytesOfAddress(helper), 8);
    data.set(bytesOfAddress(solKey("stored value").address), 40);
    data.writeBigUInt64LE(baseFee, 72);
    await setAccount(nonce, 1_447_680n, programs.system, data);
    const blockhash = solKey("stored value").address;
    const lasting = { ...buy, blockhash };
    expect(await sendFor(1000, await messageOf(lasting), name)).toBe("in no block");
    const advance: IInstruction = {
      programAddress: programs.system,
      accounts: [
        { address: nonce, role: AccountRole.WRITABLE },
        { address: address("SysvarRecentB1ockHashes11111111111111111111"), role: AccountRole.READONLY },
        { address: helper, role: AccountRole.READONLY_SIGNER },
      ],
      data: Uint8Array.of(4, 0, 0, 0),
    };
    const sound = instructionsOf(await messageOf(lasting));
    const weaker = compileAny([advance, ...sound], { payer: wallet, blockhash });
    expect(await isRead(weaker)).toBe(false);
    expect(await send(weaker, name, "helper")).toBe("filled");
    expect(await tokensOf(own)).toBe(buy.minAmountOut);
  });

  it("fails if it names an account twice through a lookup table", async () => {
    const { name, wallet } = await newWallet();
    const [table, other] = [solKey("table of the wallet").address, solKey("another in the table").address];
    await setAccount(other, rent.empty);
    const data = Buffer.alloc(56 + 2 * 32);
    data.writeUInt32LE(1, 0);
    // It is in use: no slot has deactivated it.
    data.fill(255, 4, 12);
    data.set(bytesOfAddress(wallet), 56);
    data.set(bytesOfAddress(other), 88);
    await setAccount(table, sol, address("AddressLookupTab1e1111111111111111111111111"), data);
    const blockhash = await chain.latestBlockhash();
    const toPlace = (addressIndex: number) => {
      const { programAddress, accounts, data: bytes } = transferLamports(wallet, other, 1000n);
      const [payer] = accounts;
      const looked = {
        address: `place ${addressIndex}` as Address,
        role: AccountRole.WRITABLE as const,
        lookupTableAddress: table,
        addressIndex,
      };
      return compileAny([{ programAddress, accounts: [payer, looked], data: bytes } as IInstruction], {
        payer: wallet,
        blockhash,
      });
    };
    const message = toPlace(0);
    const { id, bytes } = joinTransaction(message, [signMessageAndWipe(message, solKey(name).seed)]);
    const wire = Buffer.from(bytes).toString("base64");
    await expect(chain.send(wire, id)).rejects.toThrow("Account loaded twice");
    expect(await lamportsOf(wallet)).toBe(10n * sol);
    expect(await send(toPlace(1), name)).toBe("filled");
    expect(await lamportsOf(other)).toBe(rent.empty + 1000n);
  });

  it("raises the fee above its sum only by an instruction that is not composed", async () => {
    const { name, wallet, buy } = await newWallet();
    const claim: IInstruction = {
      programAddress: address("Ed25519SigVerify111111111111111111111111111"),
      accounts: [],
      data: Uint8Array.of(200, 0),
    };
    const sound = instructionsOf(await messageOf(buy));
    const weaker = compileAny([...sound, claim], { payer: wallet, blockhash: buy.blockhash });
    expect(await isRead(weaker)).toBe(false);
    expect(await send(weaker, name)).not.toBe("filled");
    const charged = 10n * sol - (await lamportsOf(wallet));
    expect(charged - mostFeeOfTerms(buy, baseFee)).toBe(200n * baseFee);
  });

  it("takes a purchase by a changed owner only where the account's creation is left out", async () => {
    const { name, wallet, buy, own } = await newWallet();
    await setTokens(own, thief, buy.mint, 0n);
    const failure = await send(await messageOf(buy), name);
    expect(failure).toMatchObject({ InstructionError: [7, expect.anything()] });
    expect(await tokensOf(own)).toBe(0n);
    const weaker = instructionsOf(await messageOf(buy)).toSpliced(7, 1);
    const taken = compileAny(weaker, { payer: wallet, blockhash: buy.blockhash });
    expect(await isRead(taken)).toBe(false);
    expect(await send(taken, name)).toBe("filled");
    expect(await tokensOf(own)).toBe(buy.minAmountOut);
  });
});
