import type { APIGatewayClientConfig } from "@aws-sdk/client-api-gateway";
import { LambdaClient, type LambdaClientConfig } from "@aws-sdk/client-lambda";
import type { SSMClient } from "@aws-sdk/client-ssm";
import * as v from "valibot";
import type { Pusher } from "../../aws/push.ts";
import type { Vault } from "../../aws/vault.ts";
import type { TradingConfiguration } from "../../chains/families/configuration.ts";
import type { MirrorDeps } from "../../plans/mirror.ts";
import { openUsagePlans } from "../../plans/usage-plans.ts";
import type { Table } from "../../table/table.ts";
import type { askSecret } from "./ask-secret.ts";
import type { Deployment } from "./status/status-lines.ts";

import type { Output } from "./terminal.ts";

/** Names a service by the port of a local runner's base_url, or by a deployed stack. */
export type TargetOptions = { local: number; stack?: undefined } | { local?: undefined; stack: string };

/** `stack` is the data stack, and `apiStack` is the API stack that uses it. */
export type PlanTargetOptions = TargetOptions & { apiStack: string };

/** Names of the stacks of a deployment, and the context that names the hosts of its chains. */
export type StatusOptions = PlanTargetOptions & {
  watchStack: string;
  context: Readonly<Record<string, string>>;
};

/** Name of the stack of alarms, unless an operator has another. */
export const watchStack = "TerminalWatch";

/** Access to all that shows whether a service works. */
export type StatusTarget = {
  /** Name to show. */
  name: string;
  table: Table;
  hasSteadyBlocks: boolean;
  /** Chains that trade, with their hosts. */
  trading: TradingConfiguration;
  readDeployment(now: Date): Promise<Deployment>;
};

/** Table and KMS key of a service. */
export type Target = { table: Table; vault: Vault };

/** Functions that operators invoke, by name. */
export type FunctionTarget = { lambda: LambdaClient; recordExecutions: string };

/** Access to users' plans and profiles, for comparing and repairing them. */
export type PlanTarget = Omit<MirrorDeps, "now">;

/** Access to users' connections, for ending them. */
export type ConnectionTarget = { table: Table; pusher: Pusher };

/** Directory in which users sign in. Both calls ignore an unknown user. */
export type Directory = {
  /** Makes the user's refresh tokens invalid. */
  signOut(userID: string): Promise<void>;
  remove(userID: string): Promise<void>;
};

/** Names the port of a local runner, or the region of a deployed service. */
export type ParameterOptions = { local?: number; region?: string };

export type AdminDeps = {
  /** Output for results. */
  stdout: Output;
  /** Output for progress and errors. */
  stderr: Output;
  openTarget(options: TargetOptions): Promise<Target>;
  openFunctions(options: TargetOptions): Promise<FunctionTarget>;
  openPlans(options: PlanTargetOptions): Promise<PlanTarget>;
  openConnections(options: PlanTargetOptions): Promise<ConnectionTarget>;
  /** Opens the service's own directory of users. Undefined if users sign in elsewhere. */
  openDirectory(options: TargetOptions): Promise<Directory | undefined>;
  openStatus(options: StatusOptions): Promise<StatusTarget>;
  /** Opens the Parameter Store of SSM. */
  openParameters(options: ParameterOptions): Promise<SSMClient>;
  /** Asks the operator for a secret. */
  askSecret: typeof askSecret;
  /** Asks the operator a yes-or-no question. */
  confirm: (question: string) => Promise<boolean>;
  interruption(): AbortSignal;
  now: () => Date;
  pauseMs: (ms: number) => Promise<unknown>;
};

/** Stack with the table and the key. */
export const dataStack = {
  label: "data stack",
  example: "TerminalData",
  outputs: v.object({ TableName: v.string(), KeyId: v.string() }),
};

/** Stack with the functions that operators invoke. */
export const apiStack = {
  label: "API stack",
  example: "TerminalApi",
  outputs: v.object({ RecordExecutionsFunction: v.string() }),
};

/** API stack with its usage plans. `PlanPrefix` begins the names of all keys and plans of users. */
export const planStack = {
  ...apiStack,
  outputs: v.object({
    TableName: v.string(),
    StandardPlanId: v.string(),
    ProPlanId: v.string(),
    PlanPrefix: v.string(),
    PlanStages: v.pipe(
      v.string(),
      v.parseJson(),
      v.array(v.object({ apiId: v.string(), stage: v.string(), methods: v.optional(v.boolean()) })),
    ),
    KeyGraceSeconds: v.pipe(v.string(), v.regex(/^\d+$/), v.toNumber()),
  }),
};

/** API stack with its connections. */
export const streamStack = { ...apiStack, outputs: v.object({ CallbackUrl: v.string() }) };

export type StackKind = {
  label: string;
  example: string;
  outputs: v.ObjectSchema<v.ObjectEntries, undefined>;
};

export type OutputsOf<Kind extends StackKind> = v.InferOutput<Kind["outputs"]>;

/** @param config The endpoint of the control plane, if the SDK cannot find it itself. */
export function planTarget(
  table: Table,
  { StandardPlanId, ProPlanId, PlanPrefix, PlanStages }: OutputsOf<typeof planStack>,
  { graceMs, ...config }: Pick<PlanTarget, "graceMs"> & APIGatewayClientConfig,
): PlanTarget {
  return {
    table,
    plans: openUsagePlans({ prefix: PlanPrefix, stages: PlanStages }, config),
    tierPlans: { Standard: StandardPlanId, Pro: ProPlanId },
    graceMs,
  };
}

/** Time limit that is longer than any run of a function that operators invoke. */
const invocationMs = 60_000;

export function openLambda(config: LambdaClientConfig = {}): LambdaClient {
  const requestHandler = {
    connectionTimeout: 1000,
    requestTimeout: invocationMs,
    throwOnRequestTimeout: true,
  };
  return new LambdaClient({ requestHandler, ...config });
}
