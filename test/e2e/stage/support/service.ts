import * as v from "valibot";
import { describeRunner, openLocal, openLocalPlans } from "../../../../lib/tools/admin/local-target.ts";
import { openStack, openStackPlans, outputsOf } from "../../../../lib/tools/admin/stack-target.ts";
import {
  dataStack,
  type PlanTarget,
  planStack,
  streamStack,
  type Target,
} from "../../../../lib/tools/admin/target.ts";
import { type Deployed, openDeployed } from "./deployed.ts";
import type { UserPoolNames } from "./user-pool.ts";

/** Names a service: the port of a local runner, or the stacks of a deployment. */
export type ServiceNames = { local: number } | { api: string; data: string; watch: string; edge: string };

export type Addresses = { baseUrl: string; streamUrl: string };

/** The service to verify. */
export type Service = Target &
  Addresses & {
    /** Address shared by both APIs, with the APIs' own addresses in `own`. */
    edge: { streamUrl: string; own: Addresses; consoleUrl: string | undefined } | undefined;
    plans: PlanTarget;
    /** Issuer that belongs to the service. Undefined if the deployment configures a different issuer. */
    issuer: UserPoolNames | { port: number } | undefined;
    /** Parts that only a deployment has. Undefined on the local runner. */
    deployed: Deployed | undefined;
  };

const served = v.object({ BaseUrl: v.string(), StreamUrl: v.string() });

const servedByEdge = v.object({ ...served.entries, ConsoleUrl: v.optional(v.string()) });

const edgeStack = { label: "edge stack", example: "TerminalEdge", outputs: servedByEdge };

/** The API stack with all outputs that the checks need, so that a wrong stack is reported at once. */
const servedStack = {
  ...planStack,
  outputs: v.object({ ...served.entries, ...planStack.outputs.entries, ...streamStack.outputs.entries }),
};

/** The data stack, including its user pool if that pool issues the tokens. */
const issuerStack = {
  ...dataStack,
  outputs: v.object({
    ...dataStack.outputs.entries,
    UserPoolId: v.optional(v.string()),
    UserPoolClientId: v.optional(v.string()),
  }),
};

/**
 * @throws {OperatorError} if the runner or a stack is missing, a stack is of the wrong kind, or two stacks do not
 * belong together.
 */
export const openService = async (names: ServiceNames): Promise<Service> =>
  "local" in names ? openLocalService(names.local) : openStackService(names);

async function openLocalService(port: number): Promise<Service> {
  const described = v.object({ outputs: servedByEdge, restUrl: v.string() });
  const { outputs, restUrl } = await describeRunner(port, described);
  const { BaseUrl: baseUrl, StreamUrl: streamUrl } = outputs;
  return {
    ...(await openLocal(port)),
    plans: await openLocalPlans(port),
    baseUrl,
    streamUrl,
    edge: {
      streamUrl: `${baseUrl.replace("http:", "ws:")}/stream`,
      own: { baseUrl: restUrl, streamUrl },
      consoleUrl: outputs.ConsoleUrl && `${baseUrl}${new URL(outputs.ConsoleUrl).pathname}`,
    },
    issuer: { port },
    deployed: undefined,
  };
}

async function openStackService(names: Exclude<ServiceNames, { local: number }>): Promise<Service> {
  const outputs = await outputsOf(names.api, servedStack);
  const own = { baseUrl: outputs.BaseUrl, streamUrl: outputs.StreamUrl };
  const edge = await edgeOutputs(names.edge);
  const { UserPoolId: poolId, UserPoolClientId: clientId } = await outputsOf(names.data, issuerStack);
  return {
    ...(await openStack(names.data)),
    plans: await openStackPlans(names.data, names.api),
    ...(edge ? { baseUrl: edge.BaseUrl, streamUrl: edge.StreamUrl } : own),
    edge: edge && { streamUrl: edge.StreamUrl, own, consoleUrl: edge.ConsoleUrl },
    issuer: poolId && clientId ? { poolId, clientId } : undefined,
    deployed: await openDeployed(names),
  };
}

/** @returns undefined if the stack does not exist. */
async function edgeOutputs(name: string): Promise<v.InferOutput<typeof servedByEdge> | undefined> {
  try {
    return await outputsOf(name, edgeStack);
  } catch (error) {
    // CloudFormation has no error class for a missing stack.
    if (error instanceof Error && / does not exist$/.test(error.message)) return undefined;
    throw error;
  }
}
