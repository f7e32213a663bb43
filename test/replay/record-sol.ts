import type { Address } from "@solana/web3.js";
import { readAccounts } from "trading-terminal-devnet/sol/made-accounts";
import { bytesOf, derived, programs } from "trading-terminal-devnet/sol/published";
import { curve, feeConfig, feeTier } from "trading-terminal-devnet/sol/pump-layouts";
import type { SolDeployment } from "trading-terminal-devnet/sol/sol-deployment";
import type { Pool, PriceRecord } from "./pools.ts";

/** The node of the Solana chain. */
export type SolNode = {
  deployment: SolDeployment;
  request: <Result>(method: string, ...params: unknown[]) => Promise<Result>;
};

/** A number in an account's data. */
type Place = { account: Address; at: number };

/** A token's pool, with the places of its reserves and of its fees. */
type Source = { mint: Address; tax: number; coins: Place; tokens: Place } & (
  | { fee: number }
  | { fees: Address; isCurve: boolean }
);

/** Fee of Raydium's pools on the local chain, and the transfer fee of each token. */
const feeOfCpmm = 0.0025;
const taxes = { MOON: 0, FEEZ: 0.01 } as const;

/** Byte at which an account of a token has its amount. */
const amountAt = 64;

const inVaults = ({ vaults }: { vaults: Record<"coin" | "token", Address> }) => ({
  coins: { account: vaults.coin, at: amountAt },
  tokens: { account: vaults.token, at: amountAt },
});

/** Lists the pools that the judge can compute. It leaves out BRIM, which soon leaves its curve, and Jupiter's ORBIT. */
async function sourcesOf({ tokens, pump }: SolDeployment): Promise<Source[]> {
  const feesOf = (program: Address) => derived(programs.pumpFees, "fee_config", bytesOf(program));
  const { BEND } = pump.curves;
  const { GRAD } = pump.pools;
  return [
    ...(Object.keys(taxes) as (keyof typeof taxes)[]).map((symbol) => ({
      ...inVaults(tokens[symbol]),
      mint: tokens[symbol].mint,
      tax: taxes[symbol],
      fee: feeOfCpmm,
    })),
    {
      mint: BEND.mint,
      tax: 0,
      coins: { account: BEND.curve, at: curve.at.virtualCoins },
      tokens: { account: BEND.curve, at: curve.at.virtualTokens },
      fees: await feesOf(programs.pump),
      isCurve: true,
    },
    { ...inVaults(GRAD), mint: GRAD.mint, tax: 0, fees: await feesOf(programs.pumpPools), isCurve: false },
  ];
}

/** Units of each of Pump's tokens. */
const supply = 1e15;

/** Reads the fees of one of Pump's markets by its market cap: those of the protocol, the creator and the pool. */
function pumpFee(config: Buffer, cap: number, isCurve: boolean): number {
  const { tierCount, tiers } = feeConfig.at;
  const count = config.readUInt32LE(tierCount);
  const starts = Array.from({ length: count }, (_, index) => tiers + index * feeTier.size);
  const own = starts.findLast((start) => cap >= Number(config.readBigUInt64LE(start + feeTier.leastCap)));
  const at = (own ?? tiers) + feeTier.fees;
  const [lp = 0, protocol = 0, creator = 0] = [0, 8, 16].map((next) =>
    Number(config.readBigUInt64LE(at + next)),
  );
  return ((isCurve ? 0 : lp) + protocol + creator) / 1e4;
}

/** Makes a look, which records the markets of the slot. */
export function recordSol({ deployment, request }: SolNode, records: PriceRecord[]): () => Promise<void> {
  let sources: readonly Source[] | undefined;
  return async () => {
    sources ??= await sourcesOf(deployment);
    const accounts = [
      ...new Set(
        sources.flatMap((each) => [
          each.coins.account,
          each.tokens.account,
          ...("fees" in each ? [each.fees] : []),
        ]),
      ),
    ];
    const slot = await request<number>("getSlot", { commitment: "processed" });
    const found = await readAccounts((method, params = []) => request(method, ...params), accounts);
    const dataOf = (account: Address) => found[accounts.indexOf(account)]?.data;
    const unitsAt = ({ account, at }: Place) => Number(dataOf(account)?.readBigUInt64LE(at) ?? 0n);
    const markets = sources.map((source) => {
      const { mint, tax } = source;
      const [coins, tokens] = [unitsAt(source.coins), unitsAt(source.tokens)];
      const reserves = { native: coins, [mint]: tokens };
      const config = "fees" in source ? dataOf(source.fees) : undefined;
      const pool: Pool =
        "fee" in source
          ? { reserves, fee: source.fee }
          : {
              reserves,
              fee: config === undefined ? 0 : pumpFee(config, (coins * supply) / tokens, source.isCurve),
              feeIn: "native",
            };
      return [mint, { tax, routes: [{ path: ["native", mint], pools: [pool] }] }] as const;
    });
    records.push({ atMs: Date.now(), number: slot, hash: `${slot}`, markets: new Map(markets) });
  };
}
