import type { Credentials, Endpoints } from "./account.ts";
import type { LeadingKeys } from "./dynamodb/access-requests.ts";
import type { Route } from "./http/messages.ts";
import type { Client } from "./issuer/code-flow.ts";
import type { TokenRequest } from "./issuer/issuer.ts";
import type { FunctionDefinition } from "./lambda/function-definition.ts";
import type { Invoke } from "./lambda/invoke.ts";
import type { LogEntry } from "./lambda/lambda.ts";
import type { Reaper } from "./processes.ts";
import type { Throttle } from "./usage-plans/model.ts";
import type { StreamLimits } from "./websocket-api/connection.ts";

export type StartOptions = {
  /** The folder of the cloud assembly, such as `cdk.out`, or a function that writes one and returns its folder. */
  assembly: string | ((site: Site) => Promise<string>);
  /** Port of the REST API, or of the distribution in front of it. 0 stands for any free port. */
  port: number;
  /** Port of the WebSocket API. 0, the default, stands for any free port. */
  streamPort?: number;
  /** Overrides AWS's limits of WebSocket connections. */
  streamLimits?: Partial<StreamLimits>;
  /**
   * The account's limit for calls of all APIs and pushes together. The default is 10,000 a second, with bursts of
   * 5,000.
   */
  accountThrottle?: Throttle;
  /**
   * Makes transactions on the tables conflict as on AWS. DynamoDB Local runs them one after another. Each call to
   * DynamoDB then takes one more hop.
   */
  conflicts?: boolean;
  /**
   * Keys that policies see as `dynamodb:LeadingKeys` of a part of a transaction: its own, the default, or those of the
   * whole transaction. AWS documents neither.
   */
  leadingKeys?: LeadingKeys;
  /**
   * Milliseconds that an asynchronous event waits before its function runs. The default is 0; AWS needs some
   * milliseconds, and sometimes seconds.
   */
  queueMs?: number | undefined;
  /** Serves `/_local/faults`, where a test sets the fraction of calls that fail. */
  faults?: boolean;
  /** Seed for conflicts and faults. The default is 1. */
  chance?: number;
  /** Claim `aud` in tokens of the local issuer. */
  audience?: string;
  /** Pages and apps that may sign users in at the local issuer, which asks for no password. None by default. */
  clients?: readonly Client[];
  /** Folder for data, keys and logs. Without a folder, nothing outlives the runner. */
  dataDir?: string | undefined;
  /** Fills the tables before the API opens. `/_local/outputs` already answers on the given port. */
  seed?: ((port: number) => Promise<unknown>) | undefined;
  /**
   * Serves more paths on the port of the API, before the API's own. `streamUrl` is undefined without a WebSocket API.
   */
  pages?: (streamUrl: string | undefined) => Route;
  /** Called with each line that a function or an emulated service logs. */
  onLog?: (entry: LogEntry) => void;
  /** Called with a short description at the beginning of each step of the start. */
  onStep?: (step: string) => void;
};

/** Arguments for a function that writes the assembly. */
export type Site = {
  /** URL of the local issuer: the claim `iss` of its tokens. */
  issuer: string;
  /** URL of the issuer's public keys. */
  jwksUri: string;
  /** Folder for the assembly. With a data dir, it still holds the previous one. */
  folder: string;
  /** Folder for temporary files. It is removed when the runner stops, or at the next start. */
  temporary: string;
  reaper: Reaper;
};

export type Runner = {
  baseUrl: string;
  /** The REST API's own address. It equals `baseUrl`, unless a distribution is in front of the API. */
  restUrl: string;
  /** URL of the WebSocket API. Undefined if the stacks have none. */
  streamUrl: string | undefined;
  /** The outputs of the stacks. `BaseUrl` and `StreamUrl` are the URLs on this machine. */
  outputs: Record<string, unknown>;
  endpoints: Endpoints;
  credentials: Credentials;
  token(request: TokenRequest): Promise<string>;
  /** All functions with the folders of their code. */
  functions: readonly Pick<FunctionDefinition, "name" | "codeFolder">[];
  invoke: Invoke;
  /**
   * Runs a function's code from another folder, starting with the next event. Events in progress finish on the old
   * code. Resolves once the last process with the old code has ended; until then its folder must stay.
   *
   * @throws {UnknownFunctionError} if there is no function of that name
   */
  replaceCode(functionName: string, codeFolder: string): Promise<void>;
  /** Reads the messages in a queue, oldest first. */
  messages(queue: string): readonly unknown[];
  /** Stops everything. */
  stop(): Promise<void>;
};
