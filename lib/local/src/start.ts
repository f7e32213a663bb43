import { account } from "./account.ts";
import { readAssembly } from "./cloudformation/assembly.ts";
import { resourceTypes } from "./cloudformation/resource-types.ts";
import { resolveStacks } from "./cloudformation/resources.ts";
import { localCredentials } from "./credentials.ts";
import { startDynamoDb } from "./dynamodb/dynamodb.ts";
import { ensureTable } from "./dynamodb/tables.ts";
import type { Credentials, Endpoints } from "./endpoints.ts";
import { createEventSources } from "./events/event-sources.ts";
import { gatewayLog } from "./gateway-log.ts";
import { type Handle, json, type Route } from "./http/messages.ts";
import { listen } from "./http/server.ts";
import { createIssuer, signingKey, type TokenRequest } from "./issuer/issuer.ts";
import type { MasterKey } from "./kms/key-ring.ts";
import { createKms, kmsService } from "./kms/kms.ts";
import { defineFunction, sandboxEnvironment } from "./lambda/function-definition.ts";
import type { Invoke } from "./lambda/invoke.ts";
import { createLambda, type LogEntry } from "./lambda/lambda.ts";
import { lambdaService } from "./lambda/lambda-service.ts";
import { ISSUER_PATH, ownPaths } from "./own-paths.ts";
import { createReaper, type Reaper } from "./processes/reaper.ts";
import { openRestApi } from "./rest-api/rest-api.ts";
import { awsServices } from "./services.ts";
import { logFiles } from "./storage/log-files.ts";
import { openDataDir, openMemory } from "./storage/workspace.ts";
import { openUsage } from "./usage-plans/usage.ts";
import { awsLimits, type StreamLimits } from "./websocket-api/connection.ts";
import { connectionsService } from "./websocket-api/connections-service.ts";
import { openStreamServer } from "./websocket-api/stream-server.ts";
import { openWebSocketApi } from "./websocket-api/websocket-api.ts";

export type StartOptions = {
  /** Folder of the synthesized stacks, or what writes them once the runner has its place. */
  assembly: string | ((site: Site) => Promise<string>);
  /** The `aud` claim of the tokens that the local issuer signs. */
  audience: string;
  /** 0 takes any that is free. */
  port: number;
  /** Port of the WebSocket API, in the same way. */
  streamPort?: number;
  /** Limits of its connections that are not those of AWS. */
  streamLimits?: Partial<StreamLimits>;
  /** The folder to keep everything in. Without one nothing outlives the runner. */
  dataDir?: string | undefined;
  /** Puts data in before the API opens. The runner's own paths on that port tell where the services are. */
  seed?: ((port: number) => Promise<unknown>) | undefined;
  /** Serves further paths on the port of the API, ahead of the API. `streamUrl` is undefined without a WebSocket API. */
  pages?: (streamUrl: string | undefined) => Route;
  /** Hears every line that functions log, and why the gateway gave an answer of its own. */
  onLog?: (entry: LogEntry) => void;
  /** Hears what is being done, in a few words. */
  onStep?: (step: string) => void;
};

/** What stacks have to know to run here, and what their synthesis needs. */
export type Site = { issuer: string; folder: string; reaper: Reaper };

export type Runner = {
  baseUrl: string;
  /** Undefined when the stacks have no WebSocket API. */
  streamUrl: string | undefined;
  /** The outputs of the stacks, except that BaseUrl and StreamUrl are those of this machine. */
  outputs: Record<string, unknown>;
  endpoints: Endpoints;
  credentials: Credentials;
  token(request: TokenRequest): Promise<string>;
  invoke: Invoke;
  /** What AWS has put into the queue of that name, the oldest first. */
  messages(queue: string): readonly unknown[];
  /** Ends everything that was started. */
  stop(): Promise<void>;
};

/**
 * Runs synthesized stacks on this machine.
 * @throws StartupError when that is not possible as things are
 */
export async function start(options: StartOptions): Promise<Runner> {
  const { onStep = () => {}, onLog = () => {} } = options;
  await using undo = new AsyncDisposableStack();

  // First, for the stacks have to know the port, and a port in use should be the first thing that is told.
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
  const issuer = createIssuer(front.url + ISSUER_PATH, await signingKey(workspace.store), options.audience);

  onStep("Synthesizing the stacks and starting DynamoDB Local");
  const { assembly } = options;
  const [folder, dynamodb] = await Promise.all([
    typeof assembly === "string"
      ? assembly
      : assembly({ issuer: issuer.url, folder: workspace.assembly, reaper }),
    startDynamoDb({
      folder: workspace.database,
      temporary: workspace.temporary,
      credentials,
      reaper,
    }),
  ]);
  undo.defer(() => dynamodb.stop());

  onStep("Reading the stacks");
  const kms = createKms({
    keys: workspace.store.load<MasterKey[]>("kms") ?? [],
    save: (keys) => workspace.store.save("kms", keys),
  });
  const written = readAssembly(folder);
  const resources = resolveStacks(written.stacks, resourceTypes(kms.ensureKey));
  const functions = resources
    .ofType("AWS::Lambda::Function")
    .map((resource) => defineFunction(resource, written));

  const usage = openUsage(resources, { store: workspace.store, report });

  onStep("Making the tables");
  for (const table of resources.ofType("AWS::DynamoDB::Table")) await ensureTable(dynamodb.client, table);

  onStep("Opening the services");
  const lambda = createLambda(functions, {
    environmentOf: (definition) => sandboxEnvironment(definition, endpoints, credentials),
    onLog: log,
    onStart: reaper.watch,
  });
  undo.defer(() => lambda.stop());
  const { store } = workspace;
  const sources = createEventSources({ resources, lambda, dynamodb, credentials, store, log });
  undo.defer(() => sources.stop());
  const services = await listen(
    0,
    awsServices(credentials, [
      kmsService(kms),
      lambdaService(lambda, sources.invokeLater),
      connectionsService(streams.find, streamLimits),
      usage.controlPlane,
    ]),
    onFault,
  );
  undo.defer(() => services.close());
  const endpoints: Endpoints = {
    apigateway: services.url,
    apigatewaymanagementapi: services.url,
    dynamodb: dynamodb.endpoint,
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
  const own = ownPaths(issuer, () => ({ outputs, endpoints, region: account.region, credentials }));
  const api = openRestApi(resources, lambda.invoke, usage.plans, report);
  answer = async (request) => own(request) ?? starting(request);
  await options.seed?.(front.port);
  await sources.prepare();
  const pages = options.pages?.(streamUrl);
  answer = async (request) => own(request) ?? pages?.(request) ?? api(request);
  if (webSocketApi) streams.serve(webSocketApi);

  sources.begin();

  // Once more, so that they are the first to go: nobody comes in while the rest is being ended.
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
    invoke: lambda.invoke,
    messages: sources.messages,
    stop: () => everything.disposeAsync(),
  };
}
