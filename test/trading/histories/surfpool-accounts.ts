import type { Address } from "@solana/web3.js";
import { tokenAccountBytes } from "trading-terminal-devnet/sol/test-surfnet";
import { markerOf, programs, wsolAccountOf } from "../../../lib/chains/sol/calls/addresses.ts";
import { isMarker } from "../../../lib/chains/sol/venues/instructions.ts";
import type { SolBelongings } from "../model/sol/sol-chain-under-test.ts";
import { tokens, wallets } from "../model/sol/sol-clients.ts";
import type { SurfpoolFork } from "./surfpool-fork.ts";
import { poolAtStart, type SurfpoolNames, surfpoolScale, systemAccount } from "./surfpool-setup.ts";

const unitsAt = 64;

/** Extensions in an account of a token with transfer fees: a fixed owner, and nothing withheld yet. */
const feeExtensions = Buffer.from(`02${"07000000"}${"02000800"}${"00".repeat(8)}`, "hex");

const rentOf = (data: Uint8Array) => BigInt((128 + data.length) * 5080);

/** Balances of wallets and pools on both branches of a fork. Other programs may change them. */
export class SurfpoolAccounts {
  private readonly fork: SurfpoolFork;
  private readonly names: SurfpoolNames;
  private readonly pools = new Map<string, { coins: bigint; tokens: bigint }>();

  constructor(fork: SurfpoolFork, names: SurfpoolNames) {
    this.fork = fork;
    this.names = names;
  }

  /** Gives wallets and pools their balances at the start of a history. */
  async begin(): Promise<void> {
    const { fork, names } = this;
    for (const wallet of wallets) {
      const { coins, tokens: held } = surfpoolScale.genesis(wallet);
      await fork.put(names.wallet(wallet), systemAccount(coins));
      for (const [token, units] of held) {
        const { mint, program } = names.token(token);
        const plain = tokenAccountBytes(mint, names.wallet(wallet), units);
        const data = token === "FEEZ" ? Buffer.concat([plain, feeExtensions]) : plain;
        const account = { lamports: rentOf(data), owner: program, data };
        if (units > 0n) await fork.put(await names.tokenAccount(wallet, token), account);
      }
    }
    for (const token of tokens) await this.setPool(token, () => poolAtStart);
  }

  async setPool(
    token: string,
    change: (pool: { coins: bigint; tokens: bigint }) => { coins: bigint; tokens: bigint },
  ): Promise<void> {
    const { vaults } = this.names.token(token);
    for (const name of ["coins", "tokens"] as const)
      await this.fork.put(name === "coins" ? vaults.coin : vaults.token, ({ lamports, owner, data }) => {
        const bytes = Buffer.from(data);
        const before = bytes.readBigUInt64LE(unitsAt);
        const after = change({ coins: before, tokens: before })[name];
        bytes.writeBigUInt64LE(after, unitsAt);
        return { lamports: name === "coins" ? lamports + after - before : lamports, owner, data: bytes };
      });
  }

  async readPools(): Promise<void> {
    for (const token of tokens) {
      const { vaults } = this.names.token(token);
      const [coins = 0n, units = 0n] = await Promise.all(
        [vaults.coin, vaults.token].map((at) => this.units(at)),
      );
      this.pools.set(token, { coins, tokens: units });
    }
  }

  private async units(account: string): Promise<bigint> {
    const { data } = (await this.fork.newest(account)) ?? {};
    return data === undefined ? 0n : Buffer.from(data).readBigUInt64LE(unitsAt);
  }

  async moveOut(wallet: string, token: string): Promise<void> {
    const account = await this.names.tokenAccount(wallet, token);
    if ((await this.fork.newest(account)) === undefined) return;
    await this.fork.put(account, ({ lamports, owner, data }) => {
      const bytes = Buffer.from(data);
      if (bytes.length > 0) bytes.writeBigUInt64LE(0n, unitsAt);
      return { lamports, owner, data: bytes };
    });
  }

  async moveCoins(wallet: string, left: bigint): Promise<void> {
    await this.fork.put(this.names.wallet(wallet), systemAccount(left));
  }

  poolOf(token: string): { coins: bigint; tokens: bigint } {
    return this.pools.get(token) ?? poolAtStart;
  }

  async belongings(wallet: string): Promise<SolBelongings> {
    const { fork, names } = this;
    const own = await fork.newest(names.wallet(wallet));
    const held = tokens.map(
      async (token) => [token, await this.units(await names.tokenAccount(wallet, token))] as const,
    );
    return { coins: own?.lamports ?? 0n, tokens: new Map(await Promise.all(held)) };
  }

  async strays(
    wallet: string,
    orderIds: readonly string[],
    isMarked: (orderId: string) => boolean,
  ): Promise<readonly string[]> {
    const { fork, names } = this;
    const owner = names.wallet(wallet);
    const usual = new Set(await Promise.all(tokens.map((token) => names.tokenAccount(wallet, token))));
    const found: string[] = [];
    for (const programId of [programs.token, programs.token2022]) {
      const { value } = (await fork.request(fork.main, "getTokenAccountsByOwner", [
        owner,
        { programId },
        { encoding: "base64", commitment: "processed" },
      ])) as { value: { pubkey: Address; account: { data: [string] } }[] };
      for (const { pubkey, account } of value) {
        if (!usual.has(pubkey)) found.push("another token account");
        if (hasDelegate(Buffer.from(account.data[0], "base64"))) found.push("a delegate");
      }
    }
    for (const orderId of orderIds) {
      if ((await fork.newest(await wsolAccountOf(owner, names.orderId(orderId)))) !== undefined)
        found.push("an account of wrapped coin");
      const marker = await fork.newest(await markerOf(owner, names.orderId(orderId)));
      if (isMarker(marker) !== isMarked(orderId)) found.push("another marker than was made");
    }
    return found;
  }
}

/** Returns true if somebody else may take tokens from an account or close it. */
const hasDelegate = (data: Buffer): boolean => data.readUInt32LE(72) !== 0 || data.readUInt32LE(129) !== 0;
