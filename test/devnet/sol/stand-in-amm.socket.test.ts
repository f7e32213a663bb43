import { AccountRole, type Address, type IInstruction } from "@solana/web3.js";
import { ammErrors } from "trading-terminal-devnet/sol/stand-in-amm";
import {
  startTestSurfnet,
  type TestSurfnet,
  tokenAccountBytes,
} from "trading-terminal-devnet/sol/test-surfnet";
import type { TestWallet } from "trading-terminal-devnet/sol/test-wallet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programs, tokenAccountOf, wsolMint } from "../../../lib/chains/sol/calls/addresses.ts";
import { cpmmConfigOf, cpmmPoolOf, cpmmProgram } from "../../../lib/chains/sol/calls/cpmm-addresses.ts";
import { accountsCall } from "../../../lib/chains/sol/calls/rpc-call.ts";
import { readTokenAccount } from "../../../lib/chains/sol/calls/token-account.ts";
import { paymentsOf, type TokenView, tokenViewCall } from "../../../lib/chains/sol/calls/token-view.ts";
import { cpmmSwap } from "../../../lib/chains/sol/venues/raydium-cpmm.ts";
import { solKey } from "../../support/sol-terms.ts";
import { addMint, addPool } from "../../support/sol-tokens.ts";

let chain: TestSurfnet;
let wallet: TestWallet;
beforeAll(async () => {
  chain = await startTestSurfnet();
  wallet = await chain.newWallet(10n ** 12n);
});
afterAll(() => chain.stop());

const { READONLY, WRITABLE, WRITABLE_SIGNER } = AccountRole;
const sent = 10n ** 9n;
const final = { commitment: "finalized" } as const;

type Side = "buy" | "sell";
type Name = keyof TestSurfnet["deployment"]["tokens"];

async function amountIn(account: string): Promise<bigint> {
  const { method, params, read } = accountsCall([account], final);
  const [found] = read(await chain.request(method, params)).accounts;
  return (found && readTokenAccount(found)?.amount) ?? 0n;
}

const accountsOf = async (name: Name) => {
  const { mint, program } = chain.deployment.tokens[name];
  const coin = await tokenAccountOf(wallet.address, wsolMint, programs.token);
  return { coin, token: await tokenAccountOf(wallet.address, mint, program) };
};

const createAccount = (account: Address, mint: Address, program: Address): IInstruction => ({
  programAddress: programs.associatedToken,
  data: Uint8Array.of(1),
  accounts: [
    { address: wallet.address, role: WRITABLE_SIGNER },
    { address: account, role: WRITABLE },
    { address: wallet.address, role: READONLY },
    { address: mint, role: READONLY },
    { address: programs.system, role: READONLY },
    { address: program, role: READONLY },
  ],
});

/** Wraps some of the wallet's coins. */
function wrap(account: Address, lamports: bigint): IInstruction[] {
  const transfer = Buffer.alloc(12);
  transfer.writeUInt32LE(2);
  transfer.writeBigUInt64LE(lamports, 4);
  return [
    createAccount(account, wsolMint, programs.token),
    {
      programAddress: programs.system,
      data: transfer,
      accounts: [
        { address: wallet.address, role: WRITABLE_SIGNER },
        { address: account, role: WRITABLE },
      ],
    },
    {
      programAddress: programs.token,
      data: Uint8Array.of(17),
      accounts: [{ address: account, role: WRITABLE }],
    },
  ];
}

async function swap(name: Name, side: Side, amount: bigint, minimum: bigint): Promise<IInstruction> {
  const { authority, tokens } = chain.deployment;
  const { mint, program, pool, config, observation, vaults } = tokens[name];
  const own = await accountsOf(name);
  const coin = { account: own.coin, vault: vaults.coin, program: programs.token, mint: wsolMint };
  const token = { account: own.token, vault: vaults.token, program, mint };
  const [from, to] = side === "buy" ? [coin, token] : [token, coin];
  const data = Buffer.alloc(24);
  data.write("8fbe5adac41e33de", "hex");
  data.writeBigUInt64LE(amount, 8);
  data.writeBigUInt64LE(minimum, 16);
  const accounts: [Address, AccountRole][] = [
    [wallet.address, WRITABLE_SIGNER],
    [authority, READONLY],
    [config, READONLY],
    [pool, WRITABLE],
    [from.account, WRITABLE],
    [to.account, WRITABLE],
    [from.vault, WRITABLE],
    [to.vault, WRITABLE],
    [from.program, READONLY],
    [to.program, READONLY],
    [from.mint, READONLY],
    [to.mint, READONLY],
    [observation, WRITABLE],
  ];
  return {
    programAddress: cpmmProgram,
    data,
    accounts: accounts.map(([address, role]) => ({ address, role })),
  };
}

/** Computes the pool's payout from the accounts that a host returns. */
async function quoted(name: Name, side: Side, amount: bigint): Promise<bigint> {
  const { mint, config } = chain.deployment.tokens[name];
  const { method, params, read } = await tokenViewCall(mint, { cpmmConfigs: [config] }, final);
  const view = read(await chain.request(method, params)) as TokenView;
  const [best] = paymentsOf(view, side, amount);
  return best?.amountOut ?? 0n;
}

const u64 = (value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};

async function viewIn(mint: Address, index: number): Promise<TokenView> {
  const { method, params, read } = await tokenViewCall(
    mint,
    { cpmmConfigs: [await cpmmConfigOf(index)] },
    final,
  );
  return read(await chain.request(method, params)) as TokenView;
}

const quotedIn = async (mint: Address, index: number) =>
  paymentsOf(await viewIn(mint, index), "buy", sent)[0]?.amountOut ?? 0n;

/** Buys a token of the Token program in its usual pool of a configuration. */
async function buyIn(mint: Address, index: number, minimum: bigint) {
  const config = await cpmmConfigOf(index);
  const pool = await cpmmPoolOf(config, wsolMint, mint);
  const [coin, token] = await Promise.all(
    [wsolMint, mint].map((each) => tokenAccountOf(wallet.address, each, programs.token)),
  );
  const own = (each: Address) => ({ mint: each, tokenProgram: programs.token });
  const instruction = await cpmmSwap(
    { wallet: wallet.address, amountIn: sent, minAmountOut: minimum },
    { kind: "cpmm", pool, config },
    {
      source: { account: coin as Address, ...own(wsolMint) },
      destination: { account: token as Address, ...own(mint) },
    },
  );
  const before = await amountIn(token as string);
  const { meta } = await chain.transact(wallet, [
    ...wrap(coin as Address, sent),
    createAccount(token as Address, mint, programs.token),
    instruction,
  ]);
  return { meta, received: (await amountIn(token as string)) - before };
}

describe("the stand-in of Raydium's program", () => {
  it.each(["MOON", "FEEZ"] as const)(
    "pays exactly the amount that follows from the pool's accounts for %s",
    async (name) => {
      const { mint, program } = chain.deployment.tokens[name];
      const own = await accountsOf(name);
      const out = await quoted(name, "buy", sent);
      const before = await amountIn(own.coin);
      const bought = await chain.transact(wallet, [
        ...wrap(own.coin, sent),
        createAccount(own.token, mint, program),
        await swap(name, "buy", sent, out),
      ]);
      expect(bought.meta.err).toBeNull();
      expect(await amountIn(own.token)).toBe(out);
      expect(await amountIn(own.coin)).toBe(before);

      const back = await quoted(name, "sell", out);
      const sold = await chain.transact(wallet, [await swap(name, "sell", out, back)]);
      expect(sold.meta.err).toBeNull();
      expect([await amountIn(own.token), await amountIn(own.coin)]).toEqual([0n, before + back]);
    },
  );

  it.each(["MOON", "FEEZ"] as const)(
    "rejects a minimum of %s that exceeds the payout by one unit",
    async (name) => {
      const own = await accountsOf(name);
      const out = await quoted(name, "buy", sent);
      const { meta } = await chain.transact(wallet, [
        ...wrap(own.coin, sent),
        await swap(name, "buy", sent, out + 1n),
      ]);
      expect(meta.err).toEqual({ InstructionError: [3, { Custom: ammErrors.slippage }] });
    },
  );

  it("rejects an unknown instruction", async () => {
    const other = { ...(await swap("MOON", "buy", 1n, 0n)), data: new Uint8Array(24) };
    const { meta } = await chain.transact(wallet, [other]);
    expect(meta.err).toEqual({ InstructionError: [0, { Custom: 101 }] });
  });

  type Spoiled = [name: string, place: number, error: number];

  it.each<Spoiled>([
    ["authority", 1, 2006],
    ["configuration", 2, 2012],
    ["pool", 3, 3007],
    ["vault that is paid", 6, 2003],
    ["vault that pays", 7, 6008],
    ["observation", 12, 2012],
  ])("rejects another %s", async (name, place, error) => {
    const { FEEZ } = chain.deployment.tokens;
    const index = 1;
    const config = await cpmmConfigOf(index);
    await addPool(chain, { mint: FEEZ.mint, index, coins: 1n, tokens: 1n });
    const own = await accountsOf("MOON");
    const instruction = await swap("MOON", "buy", sent, 0n);
    const others: Record<number, Address> = {
      1: wallet.address,
      2: config,
      3: own.coin,
      // An account like the vault, with the same mint and owner.
      6: FEEZ.vaults.coin,
      7: solKey("vault").address,
      12: FEEZ.observation,
    };
    const { mint } = chain.deployment.tokens.MOON;
    const like = tokenAccountBytes(mint, chain.deployment.authority, 10n ** 12n);
    await chain.setAccount(solKey("vault").address, 2_039_280n, programs.token, like);
    const accounts = (instruction.accounts ?? []).map((each, at) =>
      at === place ? { ...each, address: others[place] as Address } : each,
    );
    const { meta } = await chain.transact(wallet, [
      ...wrap(own.coin, sent),
      createAccount(own.token, mint, programs.token),
      { ...instruction, accounts },
    ]);
    expect(meta.err, name).toEqual({ InstructionError: [4, { Custom: error }] });
  });

  it.each<[string, Readonly<Record<number, Uint8Array>>]>([
    ["is stopped", { 329: Uint8Array.of(4) }],
    ["opens tomorrow", { 373: u64(BigInt(Math.floor(Date.now() / 1000)) + 86_400n) }],
  ])("rejects swaps in a pool that %s", async (_, spoiled) => {
    const mint = await addMint(chain, 6);
    await addPool(chain, { mint, index: 2, coins: sent, tokens: sent, spoiled });
    const { meta } = await buyIn(mint, 2, 0n);
    expect(meta.err).toEqual({ InstructionError: [4, { Custom: ammErrors.notApproved }] });
  });

  it.each<[mode: number, has: number]>([
    [0, 0],
    [0, 1],
    [1, 1],
    [2, 1],
  ])(
    "keeps out of the reserves what the pool owes, as quotes do (creator's fee %i, %i)",
    async (mode, has) => {
      const mint = await addMint(chain, 6);
      const index = 3;
      await addPool(chain, {
        mint,
        index,
        fee: 15_000n,
        // Rates of the protocol, the fund and the creator.
        rates: { 20: u64(120_000n), 28: u64(40_000n), 108: u64(5000n) },
        coins: 3n * sent,
        tokens: 7n * sent,
        spoiled: { 389: Uint8Array.of(mode, has) },
      });
      for (let trade = 0; trade < 3; trade++) {
        const expected = await quotedIn(mint, index);
        const { meta, received } = await buyIn(mint, index, expected);
        expect({ err: meta.err, received }).toEqual({ err: null, received: expected });
        const beyond = await buyIn(mint, index, (await quotedIn(mint, index)) + 1n);
        expect(beyond.meta.err).toEqual({ InstructionError: [4, { Custom: ammErrors.slippage }] });
      }
      const [shown] = (await viewIn(mint, index)).pools;
      expect(shown?.held).toBeGreaterThan(shown?.reserves.coins ?? 0n);
    },
  );

  it("rejects selling a token to an account that starts out frozen", async () => {
    const { mint, program } = chain.deployment.tokens.TRAP;
    const own = await accountsOf("TRAP");
    const { meta } = await chain.transact(wallet, [
      ...wrap(own.coin, sent),
      createAccount(own.token, mint, program),
      await swap("TRAP", "buy", sent, 0n),
    ]);
    expect(meta.err).toMatchObject({ InstructionError: [4, expect.anything()] });
  });
});
