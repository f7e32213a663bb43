import { AccountRole, type Address, type IInstruction } from "@solana/web3.js";
import { ammErrors } from "trading-terminal-devnet/sol/stand-in-amm";
import { startTestSurfnet, type TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";
import type { TestWallet } from "trading-terminal-devnet/sol/test-wallet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programs, tokenAccountOf, wsolMint } from "../../../lib/chains/sol/calls/addresses.ts";
import { cpmmProgram } from "../../../lib/chains/sol/calls/cpmm-addresses.ts";
import { accountsCall } from "../../../lib/chains/sol/calls/rpc-call.ts";
import { readTokenAccount } from "../../../lib/chains/sol/calls/token-account.ts";
import { paymentsOf, type TokenView, tokenViewCall } from "../../../lib/chains/sol/calls/token-view.ts";

let chain: TestSurfnet;
let wallet: TestWallet;
beforeAll(async () => {
  chain = await startTestSurfnet();
  wallet = await chain.newWallet();
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
    expect(meta.err).toEqual({ InstructionError: [0, { Custom: ammErrors.unknownInstruction }] });
  });

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
