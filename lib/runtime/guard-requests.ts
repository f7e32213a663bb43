import * as v from "valibot";
import { TimestampSchema } from "../api/scalars.ts";
import { GivenPolicySchema } from "../api/wallet-policy-schema.ts";
import { DomainError } from "../core/domain-error.ts";
import { changePolicy, type GuardDeps, loosenDue, type PolicyAnswer } from "../wallets/loosen-guards.ts";
import { isScheduled } from "./background.ts";
import { validate } from "./validate.ts";

const RequestSchema = v.strictObject({
  userID: v.string(),
  walletId: v.string(),
  asked: GivenPolicySchema,
  signedInAt: v.exactOptional(TimestampSchema),
});

type GuardRequestDeps = GuardDeps & { delaySeconds: number; onFault: (error: unknown) => void };

/**
 * Answers the invocations of loosenGuards: a scheduled event applies all due changes, and any other event requests a
 * policy.
 *
 * @throws {InvalidRequest} if the event is not a request for a policy.
 */
export async function answerGuardRequest(
  deps: GuardRequestDeps,
  event: unknown,
  times: { now: Date; deadline: Date },
): Promise<PolicyAnswer | undefined> {
  if (isScheduled(event)) {
    await loosenDue(deps, times, deps.onFault);
    return undefined;
  }
  const { signedInAt, ...request } = validate(RequestSchema, event, "event");
  const time = signedInAt === undefined ? undefined : new Date(signedInAt);
  try {
    return await changePolicy(deps, { ...request, signedInAt: time, now: times.now });
  } catch (error) {
    const code = error instanceof DomainError ? error.code : undefined;
    if (code !== "WALLET_NOT_FOUND" && code !== "SIGN_IN_REQUIRED") throw error;
    return { refused: code };
  }
}
