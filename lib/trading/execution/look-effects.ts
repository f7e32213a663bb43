import { looksAt } from "../../chains/families/look.ts";
import type { ChainReader } from "../../chains/families/open-chains.ts";
import { fromAnyHost } from "../../chains/hosts/from-any-host.ts";
import type { Network } from "../../core/network.ts";
import type { Performers } from "./run-procedure.ts";

/** Asks only the first host that answers, because the run that is woken as a result asks two hosts. */
export const lookEffects = (chains: ReadonlyMap<Network, ChainReader>) =>
  ({
    async look({ chain, host, heights, wantsFinal }) {
      const reader = chains.get(chain);
      return reader && looksAt(chain).lookAt(reader, host, heights, wantsFinal);
    },
    async minedIn({ chain, host, hashes }) {
      const reader = chains.get(chain);
      return reader && fromAnyHost(reader, host, (ask) => looksAt(chain).blocksOf(ask, hashes));
    },
  }) satisfies Performers;
