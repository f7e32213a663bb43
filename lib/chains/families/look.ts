import { familyOf } from "../../core/chain-facts.ts";
import type { Network } from "../../core/network.ts";
import type { Look } from "../../orders/block.ts";
import { evmBlocksOf, lookAtEvm } from "../evm/looks/head-look.ts";
import type { Ask } from "../hosts/ask-together.ts";
import { lookAtSol, solBlocksOf } from "../sol/looks/head-look.ts";
import type { Family } from "./family.ts";
import type { ChainReader } from "./open-chains.ts";

type LookFamily = {
  /** Looks at a chain through the host with this number, or the next one that answers. */
  lookAt(reader: ChainReader, host: number, heights: readonly number[], wantsFinal: boolean): Promise<Look>;
  /** Returns the block hash of each transaction. The hash is an empty text if the transaction is in no block. */
  blocksOf(ask: Ask, hashes: readonly string[]): Promise<Map<string, string>>;
};

const families: Readonly<Record<Family, LookFamily>> = {
  evm: { lookAt: lookAtEvm, blocksOf: evmBlocksOf },
  sol: { lookAt: lookAtSol, blocksOf: solBlocksOf },
};

export const looksAt = (chain: Network): LookFamily => families[familyOf(chain)];
