import { familyOf } from "../../core/chain-facts.ts";
import type { Network } from "../../core/network.ts";
import type { PlacingFamily } from "../../orders/placing-family.ts";
import { evmPlacing } from "../evm/place.ts";
import { solPlacing } from "../sol/place.ts";
import type { Family } from "./family.ts";

/** The assignment is safe, because an order's facts and settings belong to its chain's family. */
const families: Readonly<Record<Family, PlacingFamily>> = {
  evm: evmPlacing,
  sol: solPlacing,
};

export const placingOf = (chain: Network): PlacingFamily => families[familyOf(chain)];
