import type { Credentials, Endpoints } from "./account.ts";
import { account, localCredentials } from "./account.ts";
import { readAssembly } from "./cloudformation/assembly.ts";
import { type Resource, reading } from "./cloudformation/resource.ts";
import { generatedName, resourceTypes } from "./cloudformation/resource-types.ts";
import { resolveStacks } from "./cloudformation/resources.ts";
import { readTableKeys } from "./dynamodb/access-requests.ts";
import { startDynamoDb } from "./dynamodb/dynamodb.ts";
import { openGate } from "./dynamodb/gate.ts";
import { startDynamoDbProxy } from "./dynamodb/proxy.ts";
import { ensureTable } from "./dynamodb/tables.ts";
import { createEventSources } from "./events/event-sources.ts";
import { createFaults, withFaults } from "./faults.ts";
import { gatewayLog } from "./gateway-log.ts";
import { type Handle, json, type Route } from "./http/messages.ts";
import { listen } from "./http/server.ts";
import { createCallers } from "./iam/callers.ts";
import { createIssuer, signingKey, type TokenRequest } from "./issuer/issuer.ts";
import { readKeySpec } from "./kms/key-definition.ts";
import type { MasterKey } from "./kms/key-ring.ts";
import { createKms, kmsService } from "./kms/kms.ts";
import { defineFunction, type FunctionDefinition, sandboxEnvironment } from "./lambda/function-definition.ts";
import type { Invoke } from "./lambda/invoke.ts";
import { createLambda, type LogEntry, UnknownFunctionError } from "./lambda/lambda.ts";
import { lambdaService } from "./lambda/lambda-service.ts";
import { ISSUER_PATH, ownPaths } from "./own-paths.ts";
import { createReaper, type Reaper } from "./processes.ts";
import { openRestApi } from "./rest-api/rest-api.ts";
import { awsServices } from "./services.ts";
import { logFiles, openDataDir, openMemory } from "./storage/workspace.ts";
import type { Throttle } from "./usage-plans/model.ts";
import { openUsage } from "./usage-plans/usage.ts";
import { awsLimits, type StreamLimits } from "./websocket-api/connection.ts";
import { connectionsService } from "./websocket-api/connections-service.ts";
import { openStreamServer } from "./websocket-api/stream-server.ts";
import { openWebSocketApi } from "./websocket-api/websocket-api.ts";

export type StartOptions = {
  /** The folder of the cloud assembly, such as `cdk.out`, or a function that writes one and returns its folder. */
  assembly: string | ((site: Site) => Promise<string>);
  /** Port of the REST API. 0 takes any free port. */
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

/** The longest time from the beginning of an event to the injected end of its process, in milliseconds. */
const KILL_WITHIN_MS = 30;

/**
 * Runs synthesized stacks on this machine.
 *
 * @throws StartupError, whose message says what to do, e.g. about a port in use or a resource that is not emulated
 */
export async function start(options: StartOptions): Promise<Runner> {
  const { onStep = () => {}, onLog = () => {} } = options;
  await using undo = new AsyncDisposableStack();

  // The ports come first: the stacks need to know them, and a port in use should fail before anything else is started.
  let keep: (entry: LogEntry) => void = () => {};
  const log = (entry: LogEntry) => {
    keep(entry);
    onLog(entry);
  };
  const { report, onFault } = gatewayLog(log);
  const starting: Handle = async () => json(503, { error: "The runner is starting" }, ["Retry-After", "1"]);
  let answer = starting;
  const front = await listen(options.port, (request) => answer(request), onFault);
  undo.defer(() => front.close());
  const streamLimits = { ...awsLimits, ...options.streamLimits };
  const streams = await openStreamServer(options.streamPort ?? 0, streamLimits, onFault);
  undo.defer(() => streams.close());

  const workspace = options.dataDir === undefined ? openMemory() : openDataDir(options.dataDir);
  undo.defer(() => workspace.close());
  if (workspace.logs !== undefined) keep = logFiles(workspace.logs);
  const credentials = localCredentials(workspace.store);
  const reaper = createReaper();
  undo.defer(() => reaper.close());
  const issuer = createIssuer(
    front.url + ISSUER_PATH,
    await signingKey(workspace.store),
    options.audience ?? "local",
  );

  onStep("Preparing the stacks and starting DynamoDB Local");
  const { assembly } = options;
  const [folder, dynamodb] = await Promise.all([
    typeof assembly === "string"
      ? assembly
      : assembly({
          issuer: issuer.url,
          jwksUri: issuer.jwksUri,
          folder: workspace.assembly,
          temporary: workspace.temporary,
          reaper,
        }),
    startDynamoDb({
      folder: workspace.database,
      temporary: workspace.temporary,
      credentials,
      reaper,
    }),
  ]);
  undo.defer(() => dynamodb.stop());
  const { conflicts = false, chance = 1 } = options;
  const faults = options.faults ? createFaults(chance) : undefined;
  const { endpoint } = dynamodb;
  const proxy =
    conflicts || faults
      ? await startDynamoDbProxy({ endpoint, conflicts, seed: chance, faults, onFault })
      : undefined;
  undo.defer(() => proxy?.stop());

  onStep("Reading the stacks");
  const kms = createKms({
    keys: workspace.store.load<MasterKey[]>("kms") ?? [],
    save: (keys) => workspace.store.save("kms", keys),
  });
  const written = readAssembly(folder);
  const keyOf = (resource: Resource) => kms.ensureKey(generatedName(resource), readKeySpec(resource));
  const resources = resolveStacks(written.stacks, resourceTypes(keyOf));
  for (const key of resources.ofType("AWS::KMS::Key"))
    reading(key, () => kms.setPolicy(keyOf(key).keyId, key.property("KeyPolicy")));
  const functions = resources
    .ofType("AWS::Lambda::Function")
    .map((resource) => defineFunction(resource, written));

  const usage = openUsage(resources, {
    store: workspace.store,
    report,
    accountThrottle: options.accountThrottle,
  });

  const callers = createCallers(functions, resources);

  onStep("Making the tables");
  for (const table of resources.ofType("AWS::DynamoDB::Table")) await ensureTable(dynamodb.client, table);

  onStep("Opening the services");
  const gate = await openGate({
    endpoint: proxy?.endpoint ?? endpoint,
    credentials,
    callers,
    tables: readTableKeys(resources),
  });
  undo.defer(() => gate.stop());
  const lambda = createLambda(functions, {
    environmentOf: (definition) =>
      sandboxEnvironment(
        definition,
        { ...endpoints, dynamodb: gate.endpoint },
        callers.of(definition.name).credentials,
      ),
    onLog: log,
    onStart: reaper.watch,
    killAfterMs: () => (faults?.strikes("lambda.killed") ? faults.random() * KILL_WITHIN_MS : undefined),
  });
  undo.defer(() => lambda.stop());
  const { store } = workspace;
  const sources = createEventSources({ resources, lambda, dynamodb, credentials, store, log });
  undo.defer(() => sources.stop());
  const emulated = awsServices(
    credentials,
    [
      kmsService(kms),
      lambdaService(lambda, sources.invokeLater),
      connectionsService({ find: streams.find, limits: streamLimits, admit: usage.plans.admitPush }),
      usage.controlPlane,
    ],
    callers,
  );
  const services = await listen(0, faults ? withFaults(emulated, faults) : emulated, onFault);
  undo.defer(() => services.close());
  const endpoints: Endpoints = {
    apigateway: services.url,
    apigatewaymanagementapi: services.url,
    dynamodb: proxy?.endpoint ?? endpoint,
    kms: services.url,
    lambda: services.url,
  };

  const webSocketApi = openWebSocketApi(resources, lambda.invoke, usage.plans, report);
  if (webSocketApi === undefined) await streams.close();
  const streamUrl = webSocketApi && streams.url;
  const outputs = {
    ...resources.outputs(),
    BaseUrl: front.url,
    ...(streamUrl !== undefined && { StreamUrl: streamUrl }),
  };
  const describe = () => ({ outputs, endpoints, region: account.region, credentials });
  const own = ownPaths({ issuer, describe, faults });
  const api = openRestApi(resources, lambda.invoke, usage.plans, report);
  answer = async (request) => own(request) ?? starting(request);
  await options.seed?.(front.port);
  await sources.prepare();
  const pages = options.pages?.(streamUrl);
  answer = async (request) => own(request) ?? pages?.(request) ?? api(request);
  if (webSocketApi) streams.serve(webSocketApi);

  sources.begin();

  // Deferred again, to close first: nothing may come in while the rest stops.
  undo.defer(() => streams.close());
  undo.defer(() => front.close());
  undo.defer(() => sources.stop());

  const everything = undo.move();
  return {
    baseUrl: front.url,
    streamUrl,
    outputs,
    endpoints,
    credentials,
    token: async (request) => (await issuer.token(request)).access_token,
    functions,
    invoke: lambda.invoke,
    async replaceCode(functionName, codeFolder) {
      const definition = functions.find(({ name }) => name === functionName);
      if (definition === undefined) throw new UnknownFunctionError(functionName);
      await lambda.replaceCode({ ...definition, codeFolder });
    },
    messages: sources.messages,
    stop: () => everything.disposeAsync(),
  };
}
