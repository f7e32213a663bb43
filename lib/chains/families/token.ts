import type { ChainBalances, InspectedToken, TokenFamily, WalletTokens } from "../../orders/token-family.ts";
import type { TokenIdentity } from "../../orders/token-identity.ts";
import { evmBalances } from "../evm/balances.ts";
import { identifyEvmToken, inspectEvmToken } from "../evm/token.ts";
import { solBalances } from "../sol/balances.ts";
import { identifySolToken, inspectSolToken } from "../sol/token.ts";
import type { Family } from "./family.ts";
import type { FamilyReader } from "./open-chains.ts";
import type { TradingVenue } from "./venue.ts";

type Registry<Part extends keyof TokenFamily<never, TradingVenue>> = {
  readonly [F in Family]: TokenFamily<FamilyReader<F>, TradingVenue>[Part];
};

// Keeps one registry for each question, so that a function loads only the code of the questions that it asks.
const identify: Registry<"identify"> = { evm: identifyEvmToken, sol: identifySolToken };
const inspect: Registry<"inspect"> = { evm: inspectEvmToken, sol: inspectSolToken };
const balances: Registry<"balances"> = { evm: evmBalances, sol: solBalances };

export const identifyToken = <F extends Family>(
  reader: FamilyReader<F>,
  token: string,
): Promise<TokenIdentity> => identify[reader.family](reader, token);

export const inspectOnChain = <F extends Family>(
  reader: FamilyReader<F>,
  token: string,
  now: Date,
): Promise<InspectedToken<TradingVenue>> => inspect[reader.family](reader, token, now);

export const balancesOnChain = <F extends Family>(
  reader: FamilyReader<F>,
  wanted: readonly WalletTokens[],
): Promise<ChainBalances> => balances[reader.family](reader, wanted);
