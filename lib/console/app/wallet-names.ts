import type { Order } from "trading-terminal-client";
import { useDesk } from "./desk.ts";
import { shortened } from "./format.ts";

/** Names the user's wallet of an order or a position. An unknown wallet is shown by its address. */
export function useWalletNames() {
  const { state } = useDesk();
  return ({ wallet, chain }: Pick<Order, "wallet" | "chain">) =>
    state?.wallets.find(
      ({ generatedWalletAddress: address, network }) => address === wallet && network === chain,
    )?.slotName ?? shortened(wallet);
}
