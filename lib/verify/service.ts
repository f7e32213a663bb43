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

/** The one address of both APIs. */
export type Edge = {
  streamUrl: string;
  /** The addresses of the APIs behind it. */
  own: { baseUrl: string; streamUrl: string };
};

/** The service whose assumptions are checked. */
export type Service = Target & {
  /** The addresses that users are given. */
  baseUrl: string;
  streamUrl: string;
  edge: Edge | undefined;
  plans: PlanTarget;
  /** The cookie that may carry the token. */
  cookieName: string;
  /** Undefined if there is no way to get a token. */
  signIn: SignIn | undefined;
  /** Undefined on the local runner. */
  deployed: Deployed | undefined;
};

const served = v.object({ BaseUrl: v.string(), StreamUrl: v.string() });

/** The stack of the edge, which a deployment need not have. */
const edgeStack = { label: "stack of the edge", example: "TerminalEdge", outputs: served };

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
  const described = v.object({ outputs: served, restUrl: v.string() });
  const { outputs, restUrl } = await describeRunner(port, described);
  const { BaseUrl: baseUrl, StreamUrl: streamUrl } = outputs;
  const target = await openLocal(port);
  const plans = await openLocalPlans(port);
  count(limit, target, plans);
  return {
    ...{ ...target, plans },
    ...{ baseUrl, streamUrl, cookieName: "access_token" },
    edge: {
      streamUrl: `${baseUrl.replace("http:", "ws:")}/stream`,
      own: { baseUrl: restUrl, streamUrl },
    },
    signIn: runnerSignIn(port),
    deployed: undefined,
  };
}

/** @throws {OperatorError} if a stack is missing or of another kind, or the two do not belong together. */
export async function openStackService(
  names: { api: string; data: string; watch: string; edge: string },
  env: TokenVariables,
  limit: CallLimit,
): Promise<Service> {
  const outputs = await outputsOf(names.api, servedStack);
  const own = { baseUrl: outputs.BaseUrl, streamUrl: outputs.StreamUrl };
  const edge = await edgeOutputs(names.edge);
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
    ...(edge ? { baseUrl: edge.BaseUrl, streamUrl: edge.StreamUrl } : own),
    edge: edge && { streamUrl: edge.StreamUrl, own },
    signIn: pool ?? tokenSignIn(env),
  };
}

/** @returns undefined if there is no such stack. */
async function edgeOutputs(name: string): Promise<v.InferOutput<typeof served> | undefined> {
  try {
    return await outputsOf(name, edgeStack);
  } catch (error) {
    // CloudFormation has no error of its own for it.
    if (error instanceof Error && / does not exist$/.test(error.message)) return undefined;
    throw error;
  }
}

function count({ counted }: CallLimit, { table, vault }: Target, { table: other, plans }: PlanTarget): void {
  table.client.middlewareStack.add(counted, beforeEachAttempt);
  other.client.middlewareStack.add(counted, beforeEachAttempt);
  vault.client.middlewareStack.add(counted, beforeEachAttempt);
  plans.client.middlewareStack.add(counted, beforeEachAttempt);
  plans.once.middlewareStack.add(counted, beforeEachAttempt);
}
