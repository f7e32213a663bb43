import { familyOf } from "../../core/chain-facts.ts";
import type { Procedure, SignAnswer, SignRequest } from "../../orders/effects.ts";
import { signEvmTransaction } from "../evm/rules/sign.ts";
import { signMessage } from "../sol/rules/sign.ts";
import type { Family } from "./family.ts";

type SignRules = {
  /** Signs the requested transaction, or returns the reason for a refusal. */
  signRequested(request: SignRequest): Procedure<SignAnswer>;
};

const families: Readonly<Record<Family, SignRules>> = {
  evm: { signRequested: signEvmTransaction },
  sol: { signRequested: signMessage },
};

/** Signs a run's request on a chain of any family. */
export const signRequested = (request: SignRequest): Procedure<SignAnswer> =>
  families[familyOf(request.chain)].signRequested(request);
