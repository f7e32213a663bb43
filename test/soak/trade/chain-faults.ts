import { portsOf } from "trading-terminal-devnet/local-chains";
import type { TradingChain } from "../../../lib/core/chain-facts.ts";
import { setFaults } from "../../support/local-hosts.ts";

/** Sets faults of a chain's hosts and its relay. */
export type ChainFaults = {
  chain: TradingChain;
  /** Sets faults of the second host. */
  setHostFaults(faults: object): Promise<void>;
  /** Sets additional faults of both hosts. */
  setUnkindness(first: object, second: object): Promise<void>;
  /** Sets faults of the relay. Undefined for chains without one. */
  setRelayFaults: ((faults: object) => Promise<void>) | undefined;
};

export const urlAt = (port: number): string => `http://127.0.0.1:${port}`;

/**
 * Opens the fault controls of a chain.
 *
 * @param port the runner's `--chain-port`
 */
export function faultsOf(chain: TradingChain, port: number): ChainFaults {
  const { firstHost, secondHost, relay } = portsOf(chain, port);
  let faults: object = {};
  let unkindness: object = {};
  const setSecond = () => setFaults(urlAt(secondHost), { ...faults, ...unkindness });
  return {
    chain,
    setHostFaults(next) {
      faults = next;
      return setSecond();
    },
    async setUnkindness(first, second) {
      unkindness = second;
      await Promise.all([setFaults(urlAt(firstHost), first), setSecond()]);
    },
    setRelayFaults: relay === undefined ? undefined : (faults) => setFaults(urlAt(relay), faults),
  };
}
