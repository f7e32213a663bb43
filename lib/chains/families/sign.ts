import { familyOf } from "../../core/chain-facts.ts";
import type { Network } from "../../core/network.ts";
import { evmSigner } from "../evm/sign.ts";
import type { KeySigner } from "../hosts/key-signer.ts";
import { solSigner } from "../sol/sign.ts";
import type { Family } from "./family.ts";

/** The assignment is safe, because a chain's configuration and its transactions are of the same family. */
const families: Readonly<Record<Family, KeySigner>> = {
  evm: evmSigner,
  sol: solSigner,
};

export const keySignerOf = (chain: Network): KeySigner => families[familyOf(chain)];
