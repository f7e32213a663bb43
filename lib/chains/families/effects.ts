import { evmEffects } from "../evm/look.ts";
import type { FamilyEffects } from "../hosts/look.ts";
import { solEffects } from "../sol/look.ts";
import type { Family } from "./family.ts";
import type { ChainReader } from "./open-chains.ts";

type EffectsFamily = {
  effectsOn(reader: ChainReader): FamilyEffects;
};

/** The assignment is safe, because a chain only receives questions and transactions of its own family. */
const families: Readonly<Record<Family, EffectsFamily>> = {
  evm: { effectsOn: evmEffects },
  sol: { effectsOn: solEffects },
};

export const effectsOn = (reader: ChainReader): FamilyEffects => families[reader.family].effectsOn(reader);
