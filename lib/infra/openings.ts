import { type Network, networks } from "../core/network.ts";
import { type OperationName, operations } from "../operations/operations.ts";
import type { Capability, Operation } from "../operations/types.ts";
import type { Configuration } from "./configuration.ts";
import { chainsOf } from "./trading-context.ts";

/**
 * The networks for which each capability is switched on. Its functions may open wallets of these networks. Empty if the
 * capability is off.
 */
export type Openings = Readonly<Record<Capability, readonly Network[]>>;

export const openingsOf = ({
  trading,
  markets,
  walletExport,
  devices,
  earning,
}: Pick<Configuration, "trading" | "markets" | "walletExport" | "devices" | "earning">): Openings => ({
  "with trading": chainsOf(trading),
  "with markets": markets ? chainsOf(trading) : [],
  "with export": walletExport ? networks : [],
  "with devices": devices ? networks : [],
  "with earning": earning ? chainsOf(trading) : [],
});

export const isDeployed = (openings: Openings, { deployed }: Operation): boolean =>
  deployed === "always" || openings[deployed].length > 0;

/** Networks whose wallets a row's function may open. */
export const openedBy = (openings: Openings, { opensWallets, deployed }: Operation): readonly Network[] =>
  opensWallets && deployed !== "always" ? openings[deployed] : [];

/** Names of the deployed functions that open wallets. */
export const openersOf = (openings: Openings): OperationName[] =>
  (Object.keys(operations) as OperationName[]).filter(
    (name) => openedBy(openings, operations[name]).length > 0,
  );
