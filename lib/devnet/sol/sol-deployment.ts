import { type Address, getProgramDerivedAddress } from "@solana/web3.js";
import { exampleSolWallet } from "../example-wallets.ts";
import { tradeFee } from "./constant-product.ts";
import {
  account,
  decimals,
  extension,
  type MadeAccount,
  mintData,
  namesInMint,
  nobody,
  plainMintAccounts,
  rentData,
  rentOf,
  supply,
  tokenAccountData,
  u16,
  u64,
} from "./made-accounts.ts";
import { bytesOf, derived, programs, raydium, rentAccount, wrappedCoin } from "./published.ts";
import { type PumpDeployment, pumpDeployment } from "./pump-deployment.ts";
import { ammKinds, configAt } from "./stand-in-amm.ts";
import { jupiterAuthoritySeed } from "./stand-in-jupiter.ts";

export type LocalToken = {
  mint: Address;
  program: Address;
  pool: Address;
  config: Address;
  observation: Address;
  /** Vaults of the wrapped coin and the token. */
  vaults: { coin: Address; token: Address };
};

const symbols = ["MOON", "FEEZ", "TRAP"] as const;

/** Tokens that Jupiter's stand-in trades. No other exchange trades ORBIT. */
const jupiterSymbols = ["MOON", "FEEZ", "ORBIT"] as const;

export type JupiterPool = {
  mint: Address;
  program: Address;
  /** Vaults of the wrapped coin and the token. */
  vaults: { coin: Address; token: Address };
};

export type SolDeployment = {
  authority: Address;
  jupiter: {
    program: Address;
    bump: number;
    authority: Address;
    pools: Record<(typeof jupiterSymbols)[number], JupiterPool>;
    /** A lookup table with the accounts of all pools. */
    table: { address: Address; addresses: readonly Address[] };
    /** A pool that sells ORBIT at a tenth of its price. A dishonest server uses it. */
    cheat: JupiterPool;
  };
  tokens: Record<(typeof symbols)[number], LocalToken>;
  /** Pump's tokens on curves and in pools. */
  pump: PumpDeployment;
  /** Rich account that pays for simulations. */
  payer: Address;
  /** Accounts that receive tips for the local relay. */
  tipAccounts: readonly Address[];
  accounts: readonly MadeAccount[];
};

const feeBps = 100;
const mostFee = 10n ** 15n;
const fee = Buffer.concat([u64(0n), u64(mostFee), u16(feeBps)]);

/** A pool gets 5 million tokens and 500 coins, so that one coin buys 10,000 tokens, as on the other local chains. */
const pooled = { coins: 500n * 10n ** 9n, tokens: 5n * 10n ** 12n };

/** Amounts in Jupiter's pools, which pay a little more than the other pools. */
const pooledAtJupiter = { ...pooled, tokens: (pooled.tokens * 102n) / 100n };

type Pooled = typeof pooled;

/**
 * Makes the accounts of the local chain: an exchange, three tokens with pools, the pools and token of Jupiter's
 * stand-in, and accounts for tips.
 */
export async function solDeployment(): Promise<SolDeployment> {
  const { authority, config } = raydium;
  const accounts = [
    account(rentAccount.address, rentAccount.owner, rentData()),
    account(config, programs.raydiumCpmm, configData()),
  ];
  const tokens = {} as SolDeployment["tokens"];
  for (const symbol of symbols) {
    const mint = await derived(programs.system, "local mint", symbol);
    const token = await tokenOf(symbol, mint, config);
    tokens[symbol] = token;
    accounts.push(...(await mintAccounts(symbol, mint)), ...poolAccounts(token, authority));
  }
  const jupiter = await jupiterOf(tokens, accounts);
  const pump = await pumpDeployment(accounts);
  const tipAccounts = await Promise.all(
    ["1", "2"].map((each) => derived(programs.system, "local tip account", each)),
  );
  // Pays the rent of these accounts, because the chain would otherwise reject small tips.
  accounts.push(...tipAccounts.map((tip) => account(tip, programs.system, Buffer.alloc(0))));
  const payer = await derived(programs.system, "local payer");
  accounts.push(account(payer, programs.system, Buffer.alloc(0), 10 ** 12));
  const trader = {
    address: exampleSolWallet.address as Address,
    owner: programs.system,
    data: Buffer.alloc(0),
  };
  accounts.push({ ...trader, lamports: 100 * 10 ** 9 });
  return { authority, jupiter, tokens, pump, payer, tipAccounts, accounts };
}

/** Makes the pools of Jupiter's stand-in, and adds their accounts to the list. */
async function jupiterOf(
  tokens: SolDeployment["tokens"],
  accounts: MadeAccount[],
): Promise<SolDeployment["jupiter"]> {
  const [authority, bump] = await getProgramDerivedAddress({
    programAddress: programs.jupiter,
    seeds: [jupiterAuthoritySeed],
  });
  const orbit = await derived(programs.system, "local mint", "ORBIT");
  accounts.push(...(await plainMintAccounts(orbit, "Orbit", "ORBIT")));
  async function opened(
    name: string,
    { mint, program }: Pick<JupiterPool, "mint" | "program">,
    held: Pooled,
  ) {
    const vaultOf = (side: string) => derived(programs.jupiter, "local vault", name, side);
    const pool = { mint, program, vaults: { coin: await vaultOf("coin"), token: await vaultOf("token") } };
    accounts.push(...vaultAccounts(pool, authority, held));
    return pool;
  }
  const ofOrbit = { mint: orbit, program: programs.token };
  const pools = {} as SolDeployment["jupiter"]["pools"];
  for (const symbol of jupiterSymbols)
    pools[symbol] = await opened(symbol, symbol === "ORBIT" ? ofOrbit : tokens[symbol], pooledAtJupiter);
  const cheat = await opened("cheat", ofOrbit, { ...pooledAtJupiter, tokens: pooledAtJupiter.tokens / 10n });
  const addresses = [
    authority,
    ...[...Object.values(pools), cheat].flatMap(({ vaults }) => Object.values(vaults)),
  ];
  const table = { address: await derived(programs.jupiter, "local table"), addresses };
  accounts.push(account(table.address, programs.lookupTable, tableData(addresses)));
  return { program: programs.jupiter, bump, authority, pools, table, cheat };
}

/** Encodes a lookup table that nobody can change or close. */
function tableData(addresses: readonly Address[]): Buffer {
  const data = Buffer.alloc(56);
  data.writeUInt32LE(1, 0);
  data.fill(255, 4, 12);
  return Buffer.concat([data, ...addresses.map(bytesOf)]);
}

/** Derives the pool of a token and the wrapped coin. Raydium's program sorts both mints. */
function poolOf(config: Address, mint: Address): Promise<Address> {
  const mints = [wrappedCoin, mint].map(bytesOf).toSorted((a, b) => Buffer.compare(a, b));
  return derived(programs.raydiumCpmm, "pool", bytesOf(config), ...mints);
}

const vaultOf = (pool: Address, mint: Address): Promise<Address> =>
  derived(programs.raydiumCpmm, "pool_vault", bytesOf(pool), bytesOf(mint));

async function tokenOf(
  symbol: (typeof symbols)[number],
  mint: Address,
  config: Address,
): Promise<LocalToken> {
  const pool = await poolOf(config, mint);
  return {
    mint,
    program: symbol === "MOON" ? programs.token : programs.token2022,
    pool,
    config,
    observation: await derived(programs.raydiumCpmm, "observation", bytesOf(pool)),
    vaults: { coin: await vaultOf(pool, wrappedCoin), token: await vaultOf(pool, mint) },
  };
}

async function mintAccounts(symbol: (typeof symbols)[number], mint: Address): Promise<MadeAccount[]> {
  switch (symbol) {
    case "MOON":
      return plainMintAccounts(mint, "Moon", symbol);
    case "FEEZ": {
      const fees = extension(1, nobody, nobody, u64(0n), fee, fee);
      const data = mintData(supply, decimals, undefined, [fees, ...namesInMint(mint, "Feez", symbol)]);
      return [account(mint, programs.token2022, data)];
    }
    case "TRAP": {
      const frozenAtFirst = extension(6, Buffer.of(2));
      const data = mintData(supply, decimals, mint, [frozenAtFirst, ...namesInMint(mint, "Trap", symbol)]);
      return [account(mint, programs.token2022, data)];
    }
  }
}

function poolAccounts(token: LocalToken, authority: Address): MadeAccount[] {
  const { pool, observation } = token;
  return [
    account(pool, programs.raydiumCpmm, poolData(token)),
    account(observation, programs.raydiumCpmm, observationData()),
    ...vaultAccounts(token, authority, pooled),
  ];
}

function vaultAccounts(
  { mint, program, vaults }: JupiterPool,
  authority: Address,
  { coins, tokens }: Pooled,
): MadeAccount[] {
  const withheld = program === programs.token2022 ? [extension(2, u64(0n))] : [];
  const coinData = (rent: bigint) => tokenAccountData(wrappedCoin, authority, coins, { rent });
  const coinRent = rentOf(coinData(0n).length);
  return [
    account(vaults.coin, programs.token, coinData(BigInt(coinRent)), Number(coins)),
    account(vaults.token, program, tokenAccountData(mint, authority, tokens, { extensions: withheld })),
  ];
}

/**
 * Rates of Raydium's first fee configuration, in millionths. Those of the protocol and the fund are parts of the fee of
 * a trade.
 */
const rates = { trade: tradeFee, protocol: 120_000, fund: 40_000, creator: 500 } as const;

function configData(): Buffer {
  const data = Buffer.alloc(236);
  data.write(ammKinds.config, "hex");
  for (const [part, rate] of Object.entries(rates))
    data.writeBigUInt64LE(BigInt(rate), configAt[part as keyof typeof rates]);
  return data;
}

function observationData(): Buffer {
  const data = Buffer.alloc(4075);
  data.write(ammKinds.observation, "hex");
  return data;
}

/** Encodes a pool's account in the format of Raydium's program. Fields without an effect on swaps are 0. */
function poolData({ mint, program, config, observation, vaults }: LocalToken): Buffer {
  const coin = { mint: wrappedCoin, program: programs.token, vault: vaults.coin };
  const token = { mint, program, vault: vaults.token };
  const [first, second] = [coin, token].toSorted((a, b) =>
    Buffer.compare(bytesOf(a.mint), bytesOf(b.mint)),
  ) as [typeof coin, typeof coin];
  const addresses = [
    ...[
      bytesOf(config),
      nobody,
      bytesOf(first.vault),
      bytesOf(second.vault),
      nobody,
      bytesOf(first.mint),
      bytesOf(second.mint),
    ],
    ...[bytesOf(first.program), bytesOf(second.program), bytesOf(observation)],
  ];
  const data = Buffer.alloc(637);
  data.write(ammKinds.pool, "hex");
  for (const [index, address] of addresses.entries()) data.set(address, 8 + 32 * index);
  return data;
}
