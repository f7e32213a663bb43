import { createHash } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransactionMessage,
  createTransactionMessage,
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  type IInstruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from "@solana/web3.js";
import bs58 from "bs58";
import {
  bytesOfAddress,
  programs,
  tokenAccountOf,
  wsolAccountOf,
  wsolMint,
} from "../../lib/chains/sol/calls/addresses.ts";
import { bondingCurveOf, pumpPoolOf } from "../../lib/chains/sol/calls/pump-addresses.ts";
import { composeMessage } from "../../lib/chains/sol/messages/compose-message.ts";
import { mostFeeLamports } from "../../lib/chains/sol/rules/fees.ts";
import type { JupiterBuild } from "../../lib/chains/sol/rules/message-route.ts";
import { jupiterProgram } from "../../lib/chains/sol/venues/jupiter.ts";
import type {
  AttemptTerms,
  ClearTerms,
  JupiterVenue,
  MessageTerms,
  PumpVenue,
  VenueAccount,
} from "../../lib/chains/sol/venues/message-terms.ts";
import { programAddress, seededAddress } from "./sol-bytes.ts";

/** Derives a key from its name. */
export const solKey = (name: string) => {
  const seed = Uint8Array.from(createHash("sha256").update(name).digest());
  return { seed, address: bs58.encode(ed25519.getPublicKey(seed)) as Address };
};

export const [wallet, helper, thief, tipAccount] = ["wallet", "helper", "thief", "tip account"].map(
  (name) => solKey(name).address,
) as [Address, Address, Address, Address];

export const orderId = "01KAMZ3Q5T9WJ2M4N6P8R0S1V3";

export const clearTerms: ClearTerms = {
  purpose: "clear",
  wallet,
  orderId,
  blockhash: solKey("blockhash").address,
  computeUnitLimit: 150_000,
  microLamportsPerUnit: 2_000_000n,
  markerRentLamports: 655_320n,
};

export const buyTerms: AttemptTerms = {
  ...clearTerms,
  purpose: "swap",
  side: "buy",
  mint: solKey("mint").address,
  tokenProgram: programs.token,
  amountIn: 1_000_000_000n,
  minAmountOut: 290_000_000n,
  wsolRentLamports: 1_488_440n,
  tip: { account: tipAccount, lamports: 300_000n },
  venue: { kind: "cpmm", pool: solKey("pool").address, config: solKey("config").address },
};

export const saleTerms: AttemptTerms = { ...buyTerms, side: "sell", tokenProgram: programs.token2022 };

/** Converts an attempt through a pool to one on the token's bonding curve. */
export async function onCurve(
  { wsolRentLamports: _, ...terms }: AttemptTerms,
  changes: Partial<Extract<PumpVenue, { kind: "pump" }>> = {},
): Promise<AttemptTerms & { venue: PumpVenue }> {
  const pool = await bondingCurveOf(terms.mint);
  return { ...terms, venue: { kind: "pump", pool, ...pumpNamed, ...changes } };
}

/** Converts an attempt through a pool to one on PumpSwap. */
export async function onPumpSwap(
  terms: AttemptTerms,
  changes: Partial<Extract<PumpVenue, { kind: "pumpswap" }>> = {},
): Promise<AttemptTerms & { venue: PumpVenue }> {
  const pool = await pumpPoolOf(terms.mint);
  const state = { hasCreator: true, hasCashback: false };
  return { ...terms, venue: { kind: "pumpswap", pool, ...pumpNamed, ...state, ...changes } };
}

/** Table and vault of attempts on Pump's programs. */
export const pumpNamed = {
  table: solKey("pump table").address,
  vault: solKey("creator vault").address,
  isMayhem: false,
};

const hex = { route_v2: "bb64facc31c4af14", shared_accounts_route_v2: "d19853937cfed8e9" };

/** Arguments of Jupiter's route instruction. */
export type RouteArguments = {
  name: keyof typeof hex;
  quotedOut: bigint;
  slippageBps: number;
  platformFeeBps: number;
  positiveSlippageBps: number;
};

const usualArguments: RouteArguments = {
  name: "shared_accounts_route_v2",
  quotedOut: 300_000_000n,
  slippageBps: 200,
  platformFeeBps: 0,
  positiveSlippageBps: 0,
};

export function routeData(amountIn: bigint, changes: Partial<RouteArguments> = {}): Uint8Array {
  const { name, quotedOut, slippageBps, platformFeeBps, positiveSlippageBps } = {
    ...usualArguments,
    ...changes,
  };
  const amounts = Buffer.alloc(22);
  amounts.writeBigUInt64LE(amountIn, 0);
  amounts.writeBigUInt64LE(quotedOut, 8);
  [slippageBps, platformFeeBps, positiveSlippageBps].forEach((bps, index) => {
    amounts.writeUInt16LE(bps, 16 + 2 * index);
  });
  const id = name === "route_v2" ? [] : [7];
  const plan = [1, 0, 0, 0, 26, 1, 16, 39, 0, 1];
  return Uint8Array.from([...Buffer.from(hex[name], "hex"), ...id, ...amounts, ...plan]);
}

/** Converts an attempt through a pool to one through Jupiter, with some accounts in a lookup table. */
export async function byJupiter(
  terms: AttemptTerms,
  changes: Partial<RouteArguments> = {},
): Promise<AttemptTerms & { venue: JupiterVenue }> {
  const wsol = {
    account: await wsolAccountOf(terms.wallet, terms.orderId),
    mint: wsolMint,
    program: programs.token,
  };
  const token = {
    account: await tokenAccountOf(terms.wallet, terms.mint, terms.tokenProgram),
    mint: terms.mint,
    program: terms.tokenProgram,
  };
  const [from, to] = terms.side === "buy" ? [wsol, token] : [token, wsol];
  const read = (address: Address): VenueAccount => ({ address, isWritable: false });
  const written = (address: Address): VenueAccount => ({ address, isWritable: true });
  const inTable = (index: number, isWritable: boolean): VenueAccount => ({
    table: solKey("table").address,
    index,
    isWritable,
  });
  const inRoute = [
    written(helper),
    written(from.account),
    written(to.account),
    read(from.mint),
    read(to.mint),
  ];
  const pool = [inTable(3, true), inTable(200, true), inTable(9, false)];
  const hop = [read(solKey("amm").address), ...(changes.name === "route_v2" ? inRoute : []), ...pool];
  const [sourceMint, destinationMint] = [read(from.mint), read(to.mint)];
  const tokenPrograms = [read(from.program), read(to.program)];
  const end = [read(solKey("event authority").address), read(jupiterProgram), ...hop];
  const accounts =
    changes.name === "route_v2"
      ? [
          ...[written(helper), written(from.account), written(to.account), sourceMint, destinationMint],
          ...[...tokenPrograms, read(jupiterProgram), ...end],
        ]
      : [
          ...[read(solKey("program authority").address), read(helper), written(from.account)],
          ...[inTable(1, true), inTable(2, true), written(to.account), sourceMint, destinationMint],
          ...[...tokenPrograms, ...end],
        ];
  return {
    ...terms,
    // The quoted output minus slippage.
    minAmountOut: 294_000_000n,
    venue: {
      kind: "jupiter",
      helper,
      sourceDecimals: terms.side === "buy" ? 9 : 6,
      accounts,
      data: routeData(terms.amountIn, changes),
    },
  };
}

/** Builds the terms of Jupiter's instruction as they appear in an order's message. */
export const buildIn = ({ helper, sourceDecimals, accounts, data }: JupiterVenue): JupiterBuild => ({
  helper,
  sourceDecimals,
  accounts,
  data: Buffer.from(data).toString("base64"),
});

/** Composes a message that the signer must allow. */
export async function messageOf(terms: MessageTerms, tipAccounts = [tipAccount]): Promise<Uint8Array> {
  const composed = await composeMessage(terms, tipAccounts);
  if (!("message" in composed)) throw new Error(JSON.stringify(composed));
  return composed.message;
}

/** Compiles arbitrary instructions to a message, like a compromised executor. */
export function compileAny(
  instructions: readonly IInstruction[],
  { payer = wallet, blockhash = clearTerms.blockhash, version = 0 as 0 | "legacy" } = {},
): Uint8Array {
  const lifetime = { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n };
  const compiled = compileTransactionMessage(
    pipe(
      createTransactionMessage({ version }),
      (empty) => setTransactionMessageFeePayer(payer, empty),
      (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
      (mortal) => appendTransactionMessageInstructions(instructions, mortal),
    ),
  );
  return Uint8Array.from(getCompiledTransactionMessageEncoder().encode(compiled));
}

/**
 * Creates a seeded account in one step. No real message does so, because a deposit to the account's address would block
 * it.
 */
export function createWithSeed(
  base: Address,
  account: Address,
  made: { seed: string; lamports: bigint; bytes: number; owner: Address },
): IInstruction {
  const numbers = Buffer.alloc(16);
  numbers.writeBigUInt64LE(made.lamports, 0);
  numbers.writeBigUInt64LE(BigInt(made.bytes), 8);
  const head = Buffer.alloc(8);
  head.writeBigUInt64LE(BigInt(made.seed.length));
  const parts = [[3, 0, 0, 0], bytesOfAddress(base), head, Buffer.from(made.seed), numbers];
  return {
    programAddress: programs.system,
    accounts: [
      { address: base, role: AccountRole.WRITABLE_SIGNER },
      { address: account, role: AccountRole.WRITABLE },
    ],
    data: Uint8Array.from([...parts, bytesOfAddress(made.owner)].flatMap((part) => [...part])),
  };
}

/** Lists a message's instructions, without lookup tables. */
export const instructionsOf = (message: Uint8Array): IInstruction[] => [
  ...decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(message)).instructions,
];

/** Computes the maximum number of lamports that a message pays for its place in a block. */
export const mostFeeOfTerms = (terms: MessageTerms, baseFeeLamports: bigint): bigint =>
  mostFeeLamports(
    {
      signatures: terms.purpose === "swap" && terms.venue.kind === "jupiter" ? 2 : 1,
      computeUnitLimit: terms.computeUnitLimit,
      microLamportsPerUnit: terms.microLamportsPerUnit,
      tipLamports: terms.purpose === "swap" ? (terms.tip?.lamports ?? 0n) : 0n,
    },
    baseFeeLamports,
  );

/** Accounts of an order, derived by the programs' formulas. */
export const accountsOf = ({ tokenProgram, mint }: AttemptTerms) => ({
  marker: seededAddress(wallet, orderId, "11111111111111111111111111111111"),
  own: programAddress(
    "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL",
    ...[wallet, tokenProgram, mint].map((each) => bs58.decode(each)),
  ),
  w: seededAddress(wallet, `${orderId}.w`, "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"),
});
