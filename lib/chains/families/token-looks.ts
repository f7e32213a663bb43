import { EvmTokenLooks } from "../evm/looks/token-looks.ts";
import type { TokenLooks } from "../hosts/token-looks.ts";
import { SolTokenLooks } from "../sol/looks/token-looks.ts";
import type { ChainReader } from "./open-chains.ts";

/** Opens the looks at the pools of a chain's tokens. They remember pools, so a run opens them once. */
export const tokenLooksOn = (reader: ChainReader): TokenLooks =>
  reader.family === "evm" ? new EvmTokenLooks(reader) : new SolTokenLooks(reader);
