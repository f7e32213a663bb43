import type { Address } from "@solana/web3.js";
import { Interface } from "ethers/abi";
import { deployer, localAddresses } from "trading-terminal-devnet/evm/deployment";
import {
  extension,
  rentOf,
  setAccount,
  tokenAccountData,
  u64,
} from "trading-terminal-devnet/sol/made-accounts";
import type { SolDeployment } from "trading-terminal-devnet/sol/sol-deployment";
import { tokenAccountOf } from "../../../lib/chains/sol/calls/addresses.ts";
import type { TradingChain } from "../../../lib/core/chain-facts.ts";
import { forEachConcurrently } from "../../../lib/core/concurrency.ts";
import type { Order } from "../../../lib/orders/execution.ts";
import type { Period } from "../../replay/points.ts";
import type { PriceRecords } from "../../replay/record-prices.ts";
import type { ChainAccess } from "../trade/chain-access.ts";
import type { DisturbedStage } from "../trade/disturbances.ts";
import type { Balances } from "../trade/facts.ts";
import { readSol } from "../trade/sol/read-sol.ts";
import type { SolAccess } from "../trade/sol/sol-access.ts";
import { problemsOfEra } from "../trade/sol/sol-audit.ts";
import { forgetSol, fundOnSol, startOnSol, type TraderWallet } from "../trade/traders.ts";
import { type Detail, type Judgement, judgeOrders } from "./judge-orders.ts";
import type { Cancel } from "./resting-actions.ts";
import { fillsOnSol, problemsOfFills, type ShownParent, withOwnGains } from "./resting-audit.ts";

/** Units of each token that a wallet has at first, enough for all of its sales. */
const given = { evm: 50_000n * 10n ** 18n, sol: 100_000_000n * 10n ** 6n };

/** Tokens that wallets have on sol, with the extensions of their accounts. */
const heldOnSol = ({ tokens: { MOON, FEEZ }, pump: { curves, pools } }: SolDeployment) => [
  { ...MOON, extensions: [] },
  { ...FEEZ, extensions: [extension(2, u64(0n))] },
  ...[curves.BEND, pools.GRAD].map((token) => ({ ...token, extensions: [extension(7)] })),
];

const abi = new Interface(["function transfer(address to, uint256 value) returns (bool)"]);

/** Gives tokens to the wallets of an EVM chain. */
export async function giveTokens(access: ChainAccess, wallets: readonly TraderWallet[]): Promise<void> {
  const { moon, star, taxd, comet } = localAddresses;
  const own = new Set(wallets.filter(({ chain }) => chain === access.chain).map(({ address }) => address));
  await access.request("anvil_impersonateAccount", deployer);
  for (const address of own)
    for (const token of [moon, star, taxd, comet]) {
      const data = abi.encodeFunctionData("transfer", [address, given.evm]);
      await access.request("eth_sendTransaction", { from: deployer, to: token, data, gas: "0x30d40" });
    }
  // Makes the blocks final, so that no reorganisation takes the tokens back.
  await access.request("anvil_mine", "0x4");
}

/** Funds the wallets on a new Solana chain. */
export async function fundNewSol(access: SolAccess, wallets: readonly TraderWallet[]): Promise<void> {
  const held = heldOnSol(access.deployment);
  await fundOnSol(access, wallets);
  for (const { chain, address } of wallets)
    for (const { mint, program, extensions } of chain === "sol" ? held : []) {
      const data = tokenAccountData(mint, address as Address, given.sol, { extensions });
      await setAccount((method, params = []) => access.request(method, ...params), {
        address: await tokenAccountOf(address as Address, mint, program),
        owner: program,
        lamports: rentOf(data.length),
        data,
      });
    }
}

/** Balances of a Solana wallet before its first trade. */
export const startOf = ({ deployment }: SolAccess): Balances =>
  new Map([...startOnSol, ...heldOnSol(deployment).map(({ mint }) => [mint, given.sol] as const)]);

type ErasStage = Pick<DisturbedStage, "service" | "sol" | "traders" | "report" | "noteSigned"> & {
  records: PriceRecords;
  cancels: readonly Cancel[];
  faultsOf: (chain: TradingChain) => readonly Period[];
  judgement: Judgement;
};

/** The eras of the Solana chain. Each crash of the runner ends the chain, and the runner then forgets its orders. */
export function restingEras(stage: ErasStage) {
  const { sol: access, traders, records, cancels, faultsOf, judgement, report, noteSigned } = stage;
  const wallets = traders.flatMap((trader) => trader.wallets);
  const own = wallets.filter(({ chain }) => chain === "sol").map(({ address }) => address);
  const before = new Map(own.map((address) => [address, startOf(access)]));
  const eras = {
    /** Number of orders that were compared before crashes. */
    compared: 0,
    read: async () => withOwnGains(await readSol(access, { before, noteSigned })),
    /** Judges all orders, and compares their fills with the chain, before a crash. */
    async audit(): Promise<void> {
      // Reads the chain after the orders, so that it contains all of their transactions.
      const orders = await detailsOf(stage);
      const chain = await eras.read();
      for (const problem of problemsOfEra([], chain)) report(problem);
      const fillsOf = ({ asked }: Pick<ShownParent, "asked">) => fillsOnSol(asked, chain);
      // Ignores what is missing, because streams may be late.
      const reading = { orders, traders, cancels, report: () => {} };
      const parents = judgeOrders(reading, { fillsOf, records, faultsOf }, judgement);
      for (const { asked, order } of parents)
        for (const problem of problemsOfFills(asked, order, fillsOnSol(asked, chain)))
          report(`before a crash, ${problem}`);
      eras.compared += parents.length;
    },
    /** Forgets all Solana orders and funds the wallets on the new chain. */
    async begin(): Promise<void> {
      for (const trader of traders) forgetSol(trader);
      records.forgetSol();
      await fundNewSol(access, wallets);
    },
  };
  return eras;
}

/** Returns the orders on sol as their users see them, with the firings of those that have placed children. */
async function detailsOf({ service, traders }: Pick<ErasStage, "service" | "traders">): Promise<Detail[]> {
  const shown = traders.flatMap((trader) =>
    [...trader.observations.newest().values()].flatMap((each) =>
      "orderId" in each && each.chain === "sol" ? [{ trader, order: each as Order }] : [],
    ),
  );
  const details: Detail[] = [];
  await forEachConcurrently(shown, { concurrency: 6 }, async ({ trader, order }) => {
    const path = `/api/v2/orders/${order.orderId}`;
    const answer = order.childOrderId === undefined ? undefined : await service.send(trader, "GET", path);
    // Skips the legs of an order for which a fault refuses them.
    const { firings } = (answer?.json as { data?: Detail } | undefined)?.data ?? {};
    details.push({ userID: trader.id, order, ...(firings && { firings }) });
  });
  return details;
}
