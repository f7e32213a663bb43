import type { Credentials, Endpoints } from "./account.ts";
import type { Route } from "./http/messages.ts";
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
  /** Port of the REST API, or of the distribution in front of it. 0 takes any free port. */
  port: number;
  /** Port of the WebSocket API. 0, the default, takes any free port. */
  streamPort?: number;
  /** Limits of WebSocket connections that differ from those of AWS. */
  streamLimits?: Partial<StreamLimits>;
  /** The account's limit for calls of all APIs and pushes together. By default 10,000 a second, 5,000 at once. */
  accountThrottle?: Throttle;
  /**
   * Makes transactions on the tables conflict as they do on AWS. DynamoDB Local runs them one after another. Costs each call
   * of DynamoDB one more hop.
   */
  conflicts?: boolean;
  /** Serves `/_local/faults`, where a test sets the share of calls that fail. */
  faults?: boolean;
  /** Decides what conflicts and faults leave to chance. 1 by default. */
  chance?: number;
  /** The `aud` claim of the tokens that the local issuer signs. */
  audience?: string;
  /** The folder to keep data, keys and logs in. By default nothing outlives the runner. */
  dataDir?: string | undefined;
  /** Fills the tables before the API opens. `/_local/outputs` on that port answers already. */
  seed?: ((port: number) => Promise<unknown>) | undefined;
  /** Serves more paths on the port of the API, ahead of the API's own. `streamUrl` is undefined without a WebSocket API. */
  pages?: (streamUrl: string | undefined) => Route;
  /** Called with each line that a function or an emulated service logs. */
  onLog?: (entry: LogEntry) => void;
  /** Called at the beginning of each step of the start, with a few words for people. */
  onStep?: (step: string) => void;
};

/** What a function that writes the assembly has to know. */
export type Site = {
  /** URL of the local issuer: the `iss` claim of its tokens. */
  issuer: string;
  /** URL of the issuer's public keys. */
  jwksUri: string;
  /** Where to write the assembly. With a data dir, the folder still has the last one. */
  folder: string;
  /** A folder for files that are of no use after this run. It is removed with the runner, or at the next start. */
  temporary: string;
  reaper: Reaper;
};

export type Runner = {
  baseUrl: string;
  /** The REST API's own address: the same, unless a distribution is in front of it. */
  restUrl: string;
  /** Undefined if the stacks have no WebSocket API. */
  streamUrl: string | undefined;
  /** The outputs of the stacks, except that `BaseUrl` and `StreamUrl` are the URLs on this machine. */
  outputs: Record<string, unknown>;
  endpoints: Endpoints;
  credentials: Credentials;
  token(request: TokenRequest): Promise<string>;
  /** The functions, with the folders that hold their code. */
  functions: readonly Pick<FunctionDefinition, "name" | "codeFolder">[];
  invoke: Invoke;
  /**
   * Runs a function's code from another folder, starting with the next event. Events in progress finish on the old code.
   * Resolves once the last process with the old code has ended. Until then its folder must stay.
   *
   * @throws UnknownFunctionError
   */
  replaceCode(functionName: string, codeFolder: string): Promise<void>;
  /** The messages in the queue of that name, oldest first. */
  messages(queue: string): readonly unknown[];
  /** Ends all that was started. */
  stop(): Promise<void>;
};
