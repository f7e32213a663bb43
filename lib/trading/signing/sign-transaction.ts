import { DeadlineExceeded } from "../../aws/deadline.ts";
import type { NoteCall } from "../../aws/kms-client.ts";
import { NotSealed, unseal, type Vault } from "../../aws/vault.ts";
import type { SigningConfiguration } from "../../chains/families/configuration.ts";
import { limitsIn } from "../../chains/families/limits.ts";
import { keySignerOf } from "../../chains/families/sign.ts";
import { signRequested } from "../../chains/families/sign-rules.ts";
import type { Network } from "../../core/network.ts";
import type { Objection, SignAnswer, SignRequest } from "../../orders/effects.ts";
import type { Table } from "../../table/table.ts";
import { isTransient } from "../../table/transient.ts";
import { type Performers, runProcedure } from "../execution/run-procedure.ts";
import type { SealedWallet } from "../items/found-items.ts";
import { InvalidItem } from "../items/signing-schemas.ts";
import { readSigning } from "../items/signing-view.ts";
import { writeStep } from "../items/write-step.ts";
import { type MacChecks, mandateHash } from "./intent-mac.ts";
import { readSignRequest, signPayload } from "./sign-payload.ts";
import type { Streaks } from "./streaks.ts";

/**
 * Log entry for an answer of the signer. Names no order if the request was unreadable. CloudTrail does not know orders,
 * but the KMS request id identifies the use of the key there.
 */
export type SigningNote = { orderId: string | undefined; reason?: string; awsRequestId: string | undefined };

export type SigningDeps = {
  table: Table;
  vault: Vault;
  checks: MacChecks;
  /** The signer's own configuration. It is not taken from the request, so that callers cannot choose contracts. */
  chains: SigningConfiguration;
  nowMs?: () => number;
  onSigned: (note: SigningNote) => void;
  /** Receives each refusal, and each series of postponed requests that has become too long. */
  onRefused: (note: SigningNote) => void;
  /** Receives each request that may be signed later. */
  onPostponed: (note: SigningNote) => void;
  /** Receives each request that a program's key forbids. */
  onForbidden: (note: SigningNote) => void;
  /** Series of postponed requests in this instance. */
  streaks: Streaks;
  /** Receives temporary errors that prevent an answer. */
  onFault: (error: unknown) => void;
};

/**
 * Reads a payload and answers it like {@link signOnRequest}. Refuses an unreadable payload, because the calling
 * function may have been taken over.
 */
export async function answerSigning(deps: SigningDeps, payload: unknown): Promise<unknown> {
  const request = readSignRequest(payload);
  if (request !== undefined) return signPayload(await signOnRequest(deps, request));
  return signPayload(refuse(deps.onRefused, undefined, "the request cannot be read"));
}

/**
 * Signs only transactions that a user has ordered, and does not trust its caller. Repeated requests return the same
 * bytes.
 *
 * @throws {Error} if a call to AWS fails for good.
 */
export async function signOnRequest(deps: SigningDeps, request: SignRequest): Promise<SignAnswer> {
  const { onSigned, onRefused, onPostponed, onForbidden, onFault, streaks, nowMs = Date.now } = deps;
  const { orderId } = request;
  let awsRequestId: string | undefined;
  let isSigned = false;
  let isNew = false;
  try {
    const effects = signingEffects(deps, (id) => {
      awsRequestId = id;
    });
    const noted = <Signed extends object>(signed: Signed): Signed => {
      isSigned = "raw" in signed;
      return signed;
    };
    const answer = await runProcedure(signRequested(request), {
      ...effects,
      signBytes: async (ask) => noted(await effects.signBytes(ask)),
      write(ask) {
        isNew = ask.step.some(({ of }) => of === "ledger");
        return effects.write(ask);
      },
    });
    if (isSigned) onSigned({ orderId, awsRequestId });
    // Ends a series only at a new signature, because anybody may ask for the same bytes again at no cost.
    if ("slot" in answer && isNew) streaks.signed(request);
    if ("refused" in answer) onRefused({ orderId, reason: answer.refused, awsRequestId });
    if ("forbidden" in answer) onForbidden({ orderId, reason: answer.forbidden, awsRequestId });
    if ("later" in answer) {
      onPostponed({ orderId, reason: answer.later, awsRequestId });
      const streak = streaks.postponed(request, nowMs());
      const reason = `too many requests of one ${streak} in a row were postponed`;
      if (streak !== undefined) onRefused({ orderId, reason, awsRequestId });
    }
    return answer;
  } catch (error) {
    if (error instanceof InvalidItem)
      return refuse(onRefused, orderId, `the stored ${error.kind} is invalid`);
    // Refuses data that DynamoDB would reject.
    if (error instanceof Error && error.name === "ValidationException")
      return refuse(onRefused, orderId, "the stored data is invalid");
    if (!(error instanceof DeadlineExceeded) && !isTransient(error)) throw error;
    onFault(error);
    return { later: "a call to AWS has failed" };
  }
}

function refuse(onRefused: SigningDeps["onRefused"], orderId: string | undefined, reason: string) {
  onRefused({ orderId, reason, awsRequestId: undefined });
  return { refused: reason };
}

/** Builds the effects for one request. */
function signingEffects({ table, vault, checks, chains, nowMs = Date.now }: SigningDeps, noteCall: NoteCall) {
  let wallet: SealedWallet | undefined;

  /** Decrypts the key with the ids in the intent, because the ids in the wallet's item may belong to another wallet. */
  async function open(
    owner: { userID: string; network: Network; address: string },
    isKey: (secret: Uint8Array) => boolean,
  ): Promise<Uint8Array | Objection> {
    if (wallet === undefined) return { later: "the wallet is gone" };
    const binding = { ...owner, walletId: wallet.walletId };
    const secret = await unseal(vault, wallet.encryptedPrivateKey, binding, noteCall).catch(asRefusal);
    // Checks that the key has the wallet's address, because any function that generates data keys could seal a
    // different key for this wallet.
    if ("refused" in secret || isKey(secret)) return secret;
    secret.fill(0);
    return { refused: "the wallet's key is of another address" };
  }

  return {
    now: nowMs,
    async readSigning(ask) {
      const { claimed, chain } = ask.request;
      const { mandate, mandateMac = "" } = claimed ?? {};
      // Waits for all, so that an error of the read decides, as if the MACs were checked after it.
      const [found, checked, ofMandate] = await Promise.allSettled([
        readSigning(table, ask),
        claimed && checks.checkOrder(claimed.intent, claimed.mac, noteCall),
        mandate && checks.checkMandateMac(mandate, mandateMac, noteCall),
      ]);
      const { view, ofParent, sealed } = outcomeOf(found);
      wallet = sealed;
      const isClaimGenuine = outcomeOf(checked) ?? false;
      const parent = mandate &&
        ofParent && {
          ...ofParent,
          mandate,
          mandateHash: mandateHash(mandate),
          isMandateGenuine: outcomeOf(ofMandate) ?? false,
        };
      return { ...view, parent, chainLimits: limitsIn(chains, chain), isClaimGenuine };
    },
    checkMac: ({ intent, mac }) => checks.checkOrder(intent, mac, noteCall),
    async signBytes({ intent, unsigned }) {
      const { chain: network, wallet: address, userID } = intent;
      const configuration = chains[network];
      if (configuration === undefined) return { later: "the chain does not trade" };
      return keySignerOf(network).sign(configuration, { intent, unsigned }, (isKey) =>
        open({ userID, network, address }, isKey),
      );
    },
    write: ({ step }) => writeStep(table, step),
  } satisfies Performers;
}

function outcomeOf<Value>(settled: PromiseSettledResult<Value>): Value {
  if (settled.status === "rejected") throw settled.reason;
  return settled.value;
}

function asRefusal(error: unknown) {
  if (error instanceof NotSealed) return { refused: "the wallet's key does not open" };
  throw error;
}
