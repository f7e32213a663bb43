import * as v from "valibot";
import { describeRunner, openLocal, openLocalPlans } from "../admin/local-target.ts";
import { OperatorError } from "../admin/operator-error.ts";
import { openStack, openStackPlans, outputsOf } from "../admin/stack-target.ts";
import {
  apiStack,
  dataStack,
  type PlanTarget,
  planStack,
  streamStack,
  type Target,
} from "../admin/target.ts";
import { beforeEachAttempt, type CallLimit } from "./call-limit.ts";
import { type Deployed, openDeployed } from "./deployed.ts";
import { runnerSignIn, type SignIn, type TokenVariables, tokenSignIn } from "./sign-in.ts";
import { poolSignIn } from "./user-pool.ts";

/** The service whose assumptions are checked. */
export type Service = Target & {
  baseUrl: string;
  streamUrl: string;
  plans: PlanTarget;
  /** The cookie that may carry the token. */
  cookieName: string;
  /** Undefined if there is no way to get a token. */
  signIn: SignIn | undefined;
  /** Undefined on the local runner. */
  deployed: Deployed | undefined;
};

const served = v.object({ BaseUrl: v.string(), StreamUrl: v.string() });

/** The API stack, with all that the checks use of it. */
const servedStack = {
  ...apiStack,
  outputs: v.object({ ...served.entries, ...planStack.outputs.entries, ...streamStack.outputs.entries }),
};

/** The data stack. It names its user pool if that is the issuer. */
const issuerStack = {
  ...dataStack,
  outputs: v.object({
    ...dataStack.outputs.entries,
    UserPoolId: v.optional(v.string()),
    UserPoolClientId: v.optional(v.string()),
  }),
};

/** @throws {OperatorError} if no runner answers on that port. */
export async function openLocalService(port: number, limit: CallLimit): Promise<Service> {
  const { outputs } = await describeRunner(port, v.object({ outputs: served }));
  const target = await openLocal(port);
  const plans = await openLocalPlans(port);
  count(limit, target, plans);
  return {
    ...{ ...target, plans },
    ...{ baseUrl: outputs.BaseUrl, streamUrl: outputs.StreamUrl, cookieName: "access_token" },
    signIn: runnerSignIn(port),
    deployed: undefined,
  };
}

/** @throws {OperatorError} if a stack is missing or of another kind, or the two do not belong together. */
export async function openStackService(
  names: { api: string; data: string; watch: string },
  env: TokenVariables,
  limit: CallLimit,
): Promise<Service> {
  const outputs = await outputsOf(names.api, servedStack);
  const { UserPoolId: poolID, UserPoolClientId: clientID } = await outputsOf(names.data, issuerStack);
  const target = await openStack(names.data);
  const plans = await openStackPlans(names.data, names.api);
  const deployed = await openDeployed(names, limit);
  count(limit, target, plans);
  const cookieName = (await deployed.environmentOf("authorize")).COOKIE_NAME;
  if (cookieName === undefined) throw new OperatorError(`Function authorize of ${names.api} names no cookie`);
  const pool = poolID && clientID ? poolSignIn({ poolID, clientID }, env, limit) : undefined;
  return {
    ...{ ...target, plans, cookieName, deployed },
    ...{ baseUrl: outputs.BaseUrl, streamUrl: outputs.StreamUrl },
    signIn: pool ?? tokenSignIn(env),
  };
}

function count({ counted }: CallLimit, { table, vault }: Target, { table: other, plans }: PlanTarget): void {
  table.client.middlewareStack.add(counted, beforeEachAttempt);
  other.client.middlewareStack.add(counted, beforeEachAttempt);
  vault.client.middlewareStack.add(counted, beforeEachAttempt);
  plans.client.middlewareStack.add(counted, beforeEachAttempt);
  plans.once.middlewareStack.add(counted, beforeEachAttempt);
}
