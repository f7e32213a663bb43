import { familyOf } from "../../core/chain-facts.ts";
import { evmEffects } from "../evm/look.ts";
import type { EvmReader } from "../evm/venues/reader.ts";
import type { FamilyEffects } from "../hosts/look.ts";
import { solEffects } from "../sol/look.ts";
import type { SolReader } from "../sol/venues/reader.ts";
import type { Family } from "./family.ts";
import type { ChainReader } from "./open-chains.ts";

type EffectsFamily<Reader = ChainReader> = {
  effectsOn(reader: Reader): FamilyEffects;
};

/** Safe, because a chain only gets questions and transactions of its own family. */
const families: Readonly<Record<Family, EffectsFamily>> = {
  evm: { effectsOn: (reader: EvmReader) => evmEffects(reader) },
  sol: { effectsOn: (reader: SolReader) => solEffects(reader) },
};

export const effectsOn = (reader: ChainReader): FamilyEffects =>
  families[familyOf(reader.chain)].effectsOn(reader);
