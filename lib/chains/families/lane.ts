import { familyOf } from "../../core/chain-facts.ts";
import type { Network } from "../../core/network.ts";
import type { LaneCore } from "../../orders/lane-core.ts";
import { evmLane } from "../evm/lane.ts";
import { solLane } from "../sol/lane.ts";
import type { Family } from "./family.ts";

/** The assignment is safe, because all items of a lane and all answers about it belong to its chain's family. */
const families: Readonly<Record<Family, LaneCore>> = {
  evm: evmLane,
  sol: solLane,
};

export const laneCoreOf = (chain: Network): LaneCore => families[familyOf(chain)];
