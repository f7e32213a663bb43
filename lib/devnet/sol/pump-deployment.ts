import { type Address, getProgramDerivedAddress } from "@solana/web3.js";
import {
  account,
  decimals,
  extension,
  type MadeAccount,
  mintData,
  namesInMint,
  plainMintAccounts,
  supply,
  tokenAccountData,
  u64,
} from "./made-accounts.ts";
import { associatedAccount, bytesOf, derived, programs, wrappedCoin } from "./published.ts";
import {
  curve,
  curveGlobal,
  curveSize,
  encoded,
  feeConfig,
  globalVolume,
  pool,
  poolGlobal,
  poolSize,
} from "./pump-layouts.ts";

/** Tokens of Pump: one on the curve, one whose curve is nearly complete, and one that trades in its pool. */
const curveSymbols = ["BEND", "BRIM"] as const;

export type CurveToken = {
  mint: Address;
  program: Address;
  creator: Address;
  curve: Address;
};

export type PumpPool = {
  mint: Address;
  program: Address;
  creator: Address;
  pool: Address;
  /** Vaults of the wrapped coin and the token. */
  vaults: { coin: Address; token: Address };
};

export type PumpDeployment = {
  curves: Record<(typeof curveSymbols)[number], CurveToken>;
  pools: Record<"GRAD", PumpPool>;
  /** Accounts that may receive the protocol's fees, and those that may receive the part for buybacks. */
  feeRecipients: readonly Address[];
  buybacks: readonly Address[];
  /** A lookup table with the accounts that each trade names. */
  table: Address;
};

/** Part of the protocol's fee that goes to buybacks, in basis points. */
const buybackBps = 5000n;

/** Rates of canonical curves and pools by market cap in coins, in basis points: pool, protocol, creator. */
const tiers: readonly (readonly [leastCap: bigint, lp: bigint, protocol: bigint, creator: bigint])[] = [
  [0n, 2n, 93n, 30n],
  [60n, 20n, 5n, 95n],
  [420n, 20n, 5n, 90n],
  [1470n, 20n, 5n, 85n],
];
const flatFees = [25n, 5n, 0n] as const;

/** Amounts of a new curve. */
const atFirst = {
  virtualTokens: 1_073_000_000_000_000n,
  virtualCoins: 30_000_000_000n,
  realTokens: 793_100_000_000_000n,
};

/** Coins in each curve. A curve is complete once it has got about 85. */
const coinsIn = { BEND: 10_000_000_000n, BRIM: 84_000_000_000n } as const;

/** Amounts that a pool gets when its token graduates. */
const pooled = { coins: 84_990_000_000n, tokens: 206_900_000_000_000n };

/** Makes the accounts of Pump's programs and tokens, and adds them to the list. */
export async function pumpDeployment(accounts: MadeAccount[]): Promise<PumpDeployment> {
  const named = (name: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => derived(programs.system, name, `${index}`)));
  const feeRecipients = await named("local fee recipient", 8);
  const mayhemRecipients = await named("local mayhem recipient", 8);
  const buybacks = await named("local buyback", 8);
  for (const each of [...feeRecipients, ...mayhemRecipients, ...buybacks]) {
    accounts.push(account(each, programs.system, Buffer.alloc(0)));
    accounts.push(await quoteAccount(each));
  }
  const [feeRecipient = programs.system, ...otherRecipients] = feeRecipients;
  const [mayhemRecipient = programs.system, ...otherMayhem] = mayhemRecipients;
  const recipients = {
    reservedRecipient: bytesOf(mayhemRecipient),
    reservedRecipients: joined(otherMayhem),
    buybackRecipients: joined(buybacks),
    buybackBps,
  };
  const global = encoded(curveGlobal, {
    initialized: true,
    feeRecipient: bytesOf(feeRecipient),
    feeRecipients: joined(otherRecipients),
    initialVirtualTokens: atFirst.virtualTokens,
    initialVirtualCoins: atFirst.virtualCoins,
    initialRealTokens: atFirst.realTokens,
    supply,
    feeBps: 95n,
    migrates: true,
    migrationFee: 15_000_001n,
    creatorFeeBps: 30n,
    createsV2: true,
    ...recipients,
  });
  const config = encoded(poolGlobal, {
    lpFeeBps: 20n,
    protocolFeeBps: 5n,
    feeRecipients: joined(feeRecipients),
    creatorFeeBps: 5n,
    ...recipients,
  });
  accounts.push(account(await derived(programs.pump, "global"), programs.pump, global));
  accounts.push(account(await derived(programs.pumpPools, "global_config"), programs.pumpPools, config));
  for (const program of [programs.pump, programs.pumpPools]) {
    const fees = await derived(programs.pumpFees, "fee_config", bytesOf(program));
    const volume = await derived(program, "global_volume_accumulator");
    accounts.push(account(fees, programs.pumpFees, feesData()));
    accounts.push(account(volume, program, encoded(globalVolume, {})));
  }
  const table = await pumpTable([feeRecipient, mayhemRecipient, buybacks[0] ?? programs.system]);
  accounts.push(table);
  const curves = {} as PumpDeployment["curves"];
  for (const symbol of curveSymbols) curves[symbol] = await curveToken(symbol, accounts);
  const pools = { GRAD: await graduatedToken(accounts) };
  return { curves, pools, feeRecipients, buybacks, table: table.address };
}

const joined = (keys: readonly Address[]) => Buffer.concat(keys.map(bytesOf));

async function quoteAccount(owner: Address): Promise<MadeAccount> {
  const at = await associatedAccount(owner, programs.token, wrappedCoin);
  return wrappedAccount(at, owner, 0n);
}

function wrappedAccount(at: Address, owner: Address, coins: bigint): MadeAccount {
  const rent = BigInt(account(at, owner, Buffer.alloc(165)).lamports);
  return account(at, programs.token, tokenAccountData(wrappedCoin, owner, coins, { rent }), Number(coins));
}

/** Makes a lookup table with the accounts that each trade names, and one recipient of each kind. */
async function pumpTable(recipients: readonly Address[]): Promise<MadeAccount> {
  const keys: Address[] = [];
  for (const [program, settings] of [
    [programs.pump, "global"],
    [programs.pumpPools, "global_config"],
  ] as const)
    keys.push(
      await derived(program, settings),
      await derived(program, "global_volume_accumulator"),
      await derived(programs.pumpFees, "fee_config", bytesOf(program)),
      await derived(program, "__event_authority"),
    );
  keys.push(programs.pumpFees, wrappedCoin, programs.token2022);
  for (const each of recipients) keys.push(each, await associatedAccount(each, programs.token, wrappedCoin));
  const head = Buffer.alloc(56);
  head.writeUInt32LE(1, 0);
  // States that nobody has asked to close the table.
  head.writeBigUInt64LE(2n ** 64n - 1n, 4);
  const at = await derived(programs.lookupTables, "local table of Pump");
  return account(at, programs.lookupTables, Buffer.concat([head, joined(keys)]));
}

/** Size of the account of fees. Bytes after the tiers are 0. */
const feesSize = 4073;

function feesData(): Buffer {
  const rates = (each: readonly bigint[]) => each.map(u64);
  const head = encoded(feeConfig, { flatFees: Buffer.concat(rates(flatFees)), tierCount: tiers.length });
  const listed = tiers.map(([cap, ...each]) =>
    Buffer.concat([u64(cap * 10n ** 9n), u64(0n), ...rates(each)]),
  );
  return Buffer.concat([head, ...listed, Buffer.alloc(feesSize)]).subarray(0, feesSize);
}

/** Makes a mint of Token-2022 without fees, as Pump does. */
const pumpMint = (mint: Address, name: string, symbol: string) =>
  account(mint, programs.token2022, mintData(supply, decimals, undefined, namesInMint(mint, name, symbol)));

/** Content of an account of Token-2022 whose owner never changes. */
const withFixedOwner = { extensions: [extension(7)] };

async function curveToken(
  symbol: (typeof curveSymbols)[number],
  accounts: MadeAccount[],
): Promise<CurveToken> {
  const mint = await derived(programs.system, "local mint", symbol);
  const creator = await derived(programs.system, "local creator", symbol);
  const isPlain = symbol === "BRIM";
  const program = isPlain ? programs.token : programs.token2022;
  const at = await derived(programs.pump, "bonding-curve", bytesOf(mint));
  const virtualCoins = atFirst.virtualCoins + coinsIn[symbol];
  const virtualTokens = (atFirst.virtualTokens * atFirst.virtualCoins) / virtualCoins;
  const realTokens = atFirst.realTokens - (atFirst.virtualTokens - virtualTokens);
  const data = encoded(
    curve,
    {
      virtualTokens,
      virtualCoins,
      realTokens,
      realCoins: coinsIn[symbol],
      supply,
      creator: bytesOf(creator),
    },
    curveSize,
  );
  const held = realTokens + supply - atFirst.realTokens;
  const tokens = await associatedAccount(at, program, mint);
  const content = tokenAccountData(mint, at, held, isPlain ? {} : withFixedOwner);
  if (isPlain) accounts.push(...(await plainMintAccounts(mint, "Brim", symbol)));
  else accounts.push(pumpMint(mint, "Bend", symbol));
  accounts.push(
    account(at, programs.pump, data, Number(coinsIn[symbol])),
    account(tokens, program, content),
    account(
      await derived(programs.pump, "creator-vault", bytesOf(creator)),
      programs.system,
      Buffer.alloc(0),
    ),
  );
  return { mint, program, creator, curve: at };
}

/** Derives the pool into which a curve's liquidity goes. */
export async function graduatedPool(mint: Address, program: Address) {
  const owner = await derived(programs.pump, "pool-authority", bytesOf(mint));
  const index = Buffer.alloc(2);
  const seeds = ["pool", index, bytesOf(owner), bytesOf(mint), bytesOf(wrappedCoin)];
  const [at, bump] = await getProgramDerivedAddress({ programAddress: programs.pumpPools, seeds });
  return {
    owner,
    pool: at,
    bump,
    lpMint: await derived(programs.pumpPools, "pool_lp_mint", bytesOf(at)),
    vaults: {
      coin: await associatedAccount(at, programs.token, wrappedCoin),
      token: await associatedAccount(at, program, mint),
    },
  };
}

/** Makes the accounts of the pool of a token that has graduated. */
export async function poolAccounts(
  { mint, program, creator }: Omit<CurveToken, "curve">,
  { coins, tokens }: { coins: bigint; tokens: bigint },
): Promise<{ pool: PumpPool; accounts: MadeAccount[] }> {
  const { owner, pool: at, bump, lpMint, vaults } = await graduatedPool(mint, program);
  const vaultOwner = await derived(programs.pumpPools, "creator_vault", bytesOf(creator));
  const data = encoded(
    pool,
    {
      bump,
      creator: bytesOf(owner),
      baseMint: bytesOf(mint),
      quoteMint: bytesOf(wrappedCoin),
      lpMint: bytesOf(lpMint),
      baseVault: bytesOf(vaults.token),
      quoteVault: bytesOf(vaults.coin),
      lpSupply: lpTokens,
      coinCreator: bytesOf(creator),
    },
    poolSize,
  );
  const extensions = program === programs.token2022 ? withFixedOwner : {};
  return {
    pool: { mint, program, creator, pool: at, vaults },
    accounts: [
      account(at, programs.pumpPools, data),
      account(lpMint, programs.token2022, mintData(0n, 9)),
      wrappedAccount(vaults.coin, at, coins),
      account(vaults.token, program, tokenAccountData(mint, at, tokens, extensions)),
      await quoteAccount(vaultOwner),
    ],
  };
}

/** Supply of a pool's shares when its token graduates. All are burned. */
const lpTokens = 4_193_388_284_800n;

async function graduatedToken(accounts: MadeAccount[]): Promise<PumpPool> {
  const mint = await derived(programs.system, "local mint", "GRAD");
  const creator = await derived(programs.system, "local creator", "GRAD");
  const program = programs.token2022;
  const made = await poolAccounts({ mint, program, creator }, pooled);
  accounts.push(pumpMint(mint, "Grad", "GRAD"), ...made.accounts);
  const at = await derived(programs.pump, "bonding-curve", bytesOf(mint));
  accounts.push(migratedCurve({ curve: at, creator }));
  return made.pool;
}

/** Makes the account of a curve whose liquidity has gone to a pool. */
export const migratedCurve = ({ curve: at, creator }: Pick<CurveToken, "creator" | "curve">): MadeAccount =>
  account(
    at,
    programs.pump,
    encoded(curve, { supply, isComplete: true, creator: bytesOf(creator) }, curveSize),
  );
