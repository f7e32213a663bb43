import type { Address } from "@solana/web3.js";
import {
  startTestSurfnet,
  type TestSurfnet,
  tokenAccountBytes,
} from "trading-terminal-devnet/sol/test-surfnet";
import { afterAll, beforeAll, beforeEach } from "vitest";
import {
  programs,
  tokenAccountOf,
  wsolAccountOf,
  wsolMint,
} from "../../../../../lib/chains/sol/calls/addresses.ts";
import { readMessage } from "../../../../../lib/chains/sol/messages/read-message.ts";
import {
  joinTransaction,
  signMessageAndWipe,
} from "../../../../../lib/chains/sol/messages/signed-message.ts";
import type { AttemptTerms, MessageTerms } from "../../../../../lib/chains/sol/venues/message-terms.ts";
import { buyTerms, clearTerms, solKey } from "../../../../support/sol-terms.ts";

/** Rents in lamports. */
export const rent = { token: 1_488_440n, marker: 655_320n, empty: 650_240n };
export const baseFee = 5_000n;
export const sol = 1_000_000_000n;

type Name = keyof TestSurfnet["deployment"]["tokens"];

const roundedUp = (value: bigint, divisor: bigint) => (value + divisor - 1n) / divisor;

/** Computes the amount that arrives from a pool with a fee of 0.25 %; FEEZ also withholds 1 % of each transfer. */
export function outputOf(name: Name, side: "buy" | "sell", amountIn: bigint): bigint {
  const [coins, tokens] = [500n * sol, 5_000_000_000_000n];
  const [into, from] = side === "buy" ? [coins, tokens] : [tokens, coins];
  const arriving = (units: bigint) => units - (name === "FEEZ" ? roundedUp(units, 100n) : 0n);
  const arrived = side === "sell" ? arriving(amountIn) : amountIn;
  const traded = arrived - roundedUp(arrived * 2_500n, 1_000_000n);
  const paid = (from * traded) / (into + traded);
  return side === "buy" ? arriving(paid) : paid;
}

/** Returns true if the signer can read this message, and would therefore sign it. */
export const isRead = async (message: Uint8Array) => (await readMessage(message, [])) !== undefined;

/** Starts a chain for a file of tests, and prepares its pools and wallets for each test. */
export function walletsOnChain() {
  const chain = {} as TestSurfnet;
  let count = 0;
  const tokenOf = (name: Name) => chain.deployment.tokens[name];

  const setAccount: TestSurfnet["setAccount"] = (...account) => chain.setAccount(...account);

  /** Gives an account of the Token program new units of a token. */
  const setTokens = (at: Address, owner: Address, mint: Address, units: bigint) => {
    const isNative = mint === wsolMint;
    const data = tokenAccountBytes(mint, owner, units, { rent: isNative ? rent.token : undefined });
    return setAccount(at, rent.token + (isNative ? units : 0n), programs.token, data);
  };

  /** Restores the pools' initial reserves, so that each test can compute its prices. */
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

  /**
   * Sends a message signed by these keys. Returns "filled", "in no block", or the error with which it failed in its
   * block.
   */
  const send = (message: Uint8Array, ...names: string[]): Promise<unknown> =>
    sendFor(undefined, message, ...names);

  /** Sends a message like {@link send}, and waits at most this long until it is in a block. */
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
      // The chain does not know the message's blockhash.
      return "in no block";
    }
  }

  /** Creates a wallet with 10 SOL, and the terms of its next order. */
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

  /** Creates a wallet with 5,000 MOON, and the terms of their sale. */
  async function newSeller() {
    const seller = await newWallet();
    const amountIn = 5_000_000_000n;
    await setTokens(seller.own, seller.wallet, seller.buy.mint, amountIn);
    const minAmountOut = outputOf("MOON", "sell", amountIn);
    const sale: AttemptTerms = { ...seller.buy, side: "sell", amountIn, minAmountOut };
    return { ...seller, sale };
  }

  beforeAll(async () => {
    Object.assign(chain, await startTestSurfnet());
  });
  beforeEach(() => resetPools());
  afterAll(() => chain.stop());

  return {
    chain,
    resetPools,
    setAccount,
    setTokens,
    accountAt,
    lamportsOf,
    tokensOf,
    send,
    sendFor,
    newWallet,
    newSeller,
  };
}
