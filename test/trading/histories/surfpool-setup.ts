import type { Address } from "@solana/web3.js";
import type { SolDeployment } from "trading-terminal-devnet/sol/sol-deployment";
import { programs, tokenAccountOf } from "../../../lib/chains/sol/calls/addresses.ts";
import type { Sol } from "../../../lib/chains/sol/rules/family.ts";
import type { SolSnapshot } from "../../../lib/chains/sol/rules/host-snapshot.ts";
import type { SolIntent, SolRoute } from "../../../lib/chains/sol/rules/intent.ts";
import type { SolMessage } from "../../../lib/chains/sol/rules/message.ts";
import { orderIdFor } from "../../../lib/core/record-ids.ts";
import type { Question } from "../../../lib/orders/effects.ts";
import { solKey } from "../../support/sol-terms.ts";
import type { SolScale } from "../model/sol/sol-chain-under-test.ts";
import { tokens, wallets } from "../model/sol/sol-clients.ts";
import { startMs } from "../model/sol/sol-world.ts";
import { SurfpoolFork } from "./surfpool-fork.ts";

type Symbol = keyof SolDeployment["tokens"];

export const unit = 100n;
const baseFee = 5000n;

/** Makes pools as small as the model's, with the chain's real rents and base fees. */
export const surfpoolScale: SolScale = {
  unit,
  genesis: (wallet) => ({
    // Enough coins for a few markers and accounts.
    coins: 40_000_000n,
    tokens: new Map([
      ["MOON", 30_000n * unit],
      // Only one of the wallets has an account for this token.
      ["FEEZ", wallet === "A1" ? 30_000n * unit : 0n],
    ]),
  }),
  limits: {
    maxNetworkFee: 1_000_000n,
    baseFeeLamports: 2n * baseFee,
    relay: { tipAccounts: ["tips"], leastTipLamports: unit },
  },
  baseFee,
  rents: { marker: 655_320n, wsol: 1_488_440n },
  computeUnitLimit: 200_000,
  lifetime: 150,
  blocksAtOnce: 10,
  hasJupiter: false,
  keepsFacts: false,
};

/** Balances of each pool at the start of a history. */
export const poolAtStart = { coins: 1_000_000n * unit, tokens: 100_000_000n * unit };

/** Maps names in a history to addresses and hashes on the chain. */
export class SurfpoolNames {
  readonly deployment: SolDeployment;
  private readonly keys: ReadonlyMap<string, ReturnType<typeof solKey>>;
  /** Names of orders by their ids. */
  private readonly orders = new Map<string, string>();
  private readonly history: string;

  /** @param history Number that differs for each history of a chain. */
  constructor(deployment: SolDeployment, history: string) {
    this.deployment = deployment;
    this.history = history;
    this.keys = new Map(wallets.map((name) => [name, solKey(`${history} ${name}`)]));
  }

  /** Address of the wallet itself, from which all other addresses are derived. */
  wallet(name: string): Address {
    return this.keyOf(name).address;
  }

  seed(name: string): Uint8Array {
    return Uint8Array.from(this.keyOf(name).seed);
  }

  private keyOf(name: string) {
    return this.keys.get(name) as ReturnType<typeof solKey>;
  }

  token(name: string) {
    return this.deployment.tokens[name as Symbol];
  }

  orderId(name: string): string {
    const orderId = orderIdFor(this.history, name, new Date(startMs));
    this.orders.set(orderId, name);
    return orderId;
  }

  tokenAccount(wallet: string, token: string): Promise<Address> {
    const { mint, program } = this.token(token);
    return tokenAccountOf(this.wallet(wallet), mint, program);
  }

  private route<Route extends SolRoute>(route: Route, token: string): Route {
    if (route.venue !== "raydium-cpmm") return route;
    const { pool, config } = this.token(token);
    const isOwn = route.pool === `pool of ${token}`;
    return { ...route, pool: isOwn ? pool : solKey(route.pool).address, config };
  }

  intent(intent: SolIntent): SolIntent {
    const { mint, program } = this.token(intent.token);
    return {
      ...intent,
      wallet: this.wallet(intent.wallet),
      orderId: this.orderId(intent.orderId),
      token: mint,
      tokenProgram: program,
      routes: intent.routes.map((route) => this.route(route, intent.token)),
    };
  }

  message(message: SolMessage, { token }: SolIntent): SolMessage {
    const [account = ""] = this.deployment.tipAccounts;
    const named = { ...message, ...(message.tip && { tip: { ...message.tip, account } }) };
    if (named.purpose !== "swap" || "build" in named || "curve" in named || "pumpPool" in named) return named;
    return { ...named, route: this.route(named.route, token) };
  }

  question({ wallet, orders, marked, ...rest }: Question<Sol>): Question<Sol> {
    return {
      ...rest,
      wallet: this.wallet(wallet),
      orders: orders.map((intent) => this.intent(intent)),
      marked: marked.map((orderId) => this.orderId(orderId)),
    };
  }

  /** Replaces addresses in an answer with names. */
  snapshot(snapshot: SolSnapshot): SolSnapshot {
    const named = <Value>(values: ReadonlyMap<string, Value>) =>
      new Map([...values].map(([orderId, value]) => [this.orders.get(orderId) ?? orderId, value] as const));
    const namedRoute = <Route extends SolRoute>(route: Route): Route => {
      if (route.venue === "jupiter-metis") return route;
      const token = tokens.find((each) => this.token(each).pool === route.pool);
      return { ...route, pool: `pool of ${token}`, config: "config" };
    };
    const orders = [...named(snapshot.orders)].map(
      ([orderId, facts]) => [orderId, { ...facts, routes: facts.routes.map(namedRoute) }] as const,
    );
    return { ...snapshot, orders: new Map(orders), markers: named(snapshot.markers) };
  }
}

export type SurfpoolSetup = { fork: SurfpoolFork; histories: number };

export const startSurfpoolSetup = async (): Promise<SurfpoolSetup> => ({
  fork: await SurfpoolFork.start(),
  histories: 0,
});

export const systemAccount = (lamports: bigint) => ({
  lamports,
  owner: programs.system,
  data: new Uint8Array(),
});
