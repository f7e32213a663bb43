import { EventEmitter } from "node:events";
import type { Endpoints } from "./account.ts";
import { account, localCredentials } from "./account.ts";
import { openBuckets } from "./buckets/buckets.ts";
import { isDeploymentFunction, readDeployments } from "./buckets/deployments.ts";
import { readAssembly } from "./cloudformation/assembly.ts";
import { checkCreationOrder } from "./cloudformation/creation-order.ts";
import { checkMonitoring } from "./cloudformation/monitoring.ts";
import { type Resource, reading } from "./cloudformation/resource.ts";
import { generatedName, resourceTypes } from "./cloudformation/resource-types.ts";
import { type Resources, resolveStacks } from "./cloudformation/resources.ts";
import { checkUpdates } from "./cloudformation/updates.ts";
import { readTableKeys } from "./dynamodb/access-requests.ts";
import { startDynamoDb } from "./dynamodb/dynamodb.ts";
import { openGate } from "./dynamodb/gate.ts";
import { startDynamoDbProxy } from "./dynamodb/proxy.ts";
import { ensureTable } from "./dynamodb/tables.ts";
import { openEdge, type ServedEdge } from "./edge/open-edge.ts";
import { createEventSources } from "./events/event-sources.ts";
import { createFaults, withFaults } from "./faults.ts";
import { gatewayLog } from "./gateway-log.ts";
import { type Handle, json } from "./http/messages.ts";
import { listen } from "./http/server.ts";
import { createCallers } from "./iam/callers.ts";
import { readVpcEndpoints } from "./iam/vpc-endpoints.ts";
import { createCodeFlow } from "./issuer/code-flow.ts";
import { createIssuer, signingKey } from "./issuer/issuer.ts";
import { readKeyKind } from "./kms/key-definition.ts";
import type { MasterKey } from "./kms/key-ring.ts";
import { createKms, kmsService } from "./kms/kms.ts";
import { defineFunction, sandboxEnvironment } from "./lambda/function-definition.ts";
import { createLambda, type LogEntry, UnknownFunctionError } from "./lambda/lambda.ts";
import { lambdaService } from "./lambda/lambda-service.ts";
import { ISSUER_PATH, ownPaths } from "./own-paths.ts";
import { parametersService } from "./parameters/parameters.ts";
import { createReaper } from "./processes.ts";
import { openRestApi } from "./rest-api/rest-api.ts";
import { openSecrets } from "./secrets/secrets.ts";
import { awsServices } from "./services.ts";
import type { Runner, StartOptions } from "./start-options.ts";
import { logFiles, openDataDir, openMemory } from "./storage/workspace.ts";
import type { Writes } from "./streams/shards.ts";
import { openUsage } from "./usage-plans/usage.ts";
import { awsLimits } from "./websocket-api/connection.ts";
import { connectionsService } from "./websocket-api/connections-service.ts";
import { openStreamServer } from "./websocket-api/stream-server.ts";
import { openWebSocketApi } from "./websocket-api/websocket-api.ts";

/** Longest time in milliseconds until an injected fault kills an event's process. */
const KILL_WITHIN_MS = 30;

/**
 * Runs synthesized stacks on this machine.
 *
 * @throws {StartupError} if something is not emulated or a port is in use, for example; the message names the remedy
 */
export async function start(options: StartOptions): Promise<Runner> {
  const { onStep = () => {}, onLog = () => {} } = options;
  await using undo = new AsyncDisposableStack();

  // Opens ports first, because the stacks need to know them, and a port in use should fail before anything else starts.
  let keep: (entry: LogEntry) => void = () => {};
  const log = (entry: LogEntry) => {
    keep(entry);
    onLog(entry);
  };
  const { report, onFault } = gatewayLog(log);
  const starting: Handle = async () => json(503, { error: "The runner is starting" }, ["Retry-After", "1"]);
  let answer = starting;
  let edge: ServedEdge | undefined;
  const front = await listen(options.port, (request) => answer(request), onFault, {
    upgrades: (request) => edge?.upgrades(request) ?? false,
    upgrade: (request, socket, head) => edge?.upgrade(request, socket, head),
  });
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
  const isOnDisk = workspace.database !== undefined;
  const proxy =
    conflicts || faults
      ? await startDynamoDbProxy({ endpoint, isOnDisk, conflicts, seed: chance, faults, onFault })
      : undefined;
  undo.defer(() => proxy?.stop());

  onStep("Reading the stacks");
  const kms = createKms({
    keys: workspace.store.load<MasterKey[]>("kms") ?? [],
    save: (keys) => workspace.store.save("kms", keys),
  });
  const written = readAssembly(folder);
  const keyOf = (resource: Resource) => {
    const { spec, ...places } = readKeyKind(resource);
    return kms.ensureKey(generatedName(resource), spec, places);
  };
  const secrets = openSecrets(() => resources, workspace.store);
  const resources: Resources = resolveStacks(written.stacks, resourceTypes(keyOf), secrets);
  checkCreationOrder(resources);
  checkMonitoring(resources);
  checkUpdates(resources, workspace.store);
  for (const key of resources.ofType("AWS::KMS::Key"))
    reading(key, () => kms.setPolicy(keyOf(key).keyId, key.property("KeyPolicy")));
  const functions = resources
    .ofType("AWS::Lambda::Function")
    .filter((resource) => !isDeploymentFunction(resources, resource))
    .map((resource) => defineFunction(resource, written));

  const usage = openUsage(resources, {
    store: workspace.store,
    report,
    accountThrottle: options.accountThrottle,
  });

  const endpointsOf = readVpcEndpoints(resources);
  const callers = createCallers(
    functions.map((each) => ({ ...each, endpoints: endpointsOf(each.subnetIds) })),
    resources,
  );

  onStep("Creating the tables");
  for (const table of resources.ofType("AWS::DynamoDB::Table")) await ensureTable(dynamodb.client, table);

  onStep("Opening the services");
  const writes: Writes = new EventEmitter();
  // Counts listeners: each shard of each mapping adds one.
  writes.setMaxListeners(0);
  const gate = await openGate({
    endpoint: proxy?.endpoint ?? endpoint,
    credentials,
    callers,
    tables: readTableKeys(resources),
    leadingKeys: options.leadingKeys,
    onWrite: () => writes.emit("write"),
  });
  undo.defer(() => gate.stop());
  const lambda = createLambda(functions, {
    environmentOf: (definition) => {
      const { credentials, endpoints: inVpc } = callers.of(definition.name);
      const own = { ...endpoints, dynamodb: gate.endpoint, ...(inVpc && { kms: kmsListener.url }) };
      return sandboxEnvironment(definition, own, credentials);
    },
    reachableFrom: ({ name }) => {
      const inVpc = callers.of(name).endpoints;
      const urls = [inVpc?.dynamodb && gate.endpoint, inVpc?.kms && kmsListener.url];
      return inVpc && urls.flatMap((url) => (url === undefined ? [] : [new URL(url).host]));
    },
    codeCache: workspace.codeCache,
    onLog: log,
    onStart: reaper.watch,
    killAfterMs: () => (faults?.strikes("lambda.killed") ? faults.random() * KILL_WITHIN_MS : undefined),
  });
  undo.defer(() => lambda.stop());
  const { store } = workspace;
  const sources = createEventSources({
    resources,
    lambda,
    denial: callers.denial,
    dynamodb,
    writes,
    credentials,
    store,
    log,
    queueMs: options.queueMs,
  });
  undo.defer(() => sources.stop());
  const webSocketApi = openWebSocketApi(resources, lambda.invoke, usage.plans, report);
  const emulated = awsServices(
    credentials,
    [
      kmsService(kms),
      lambdaService(lambda, sources.invokeLater),
      connectionsService({
        find: streams.find,
        limits: streamLimits,
        admit: usage.plans.admitPush,
        place: webSocketApi?.place,
      }),
      usage.controlPlane,
      parametersService(workspace.store),
      ...sources.services,
    ],
    callers,
  );
  const open = async (handle: Handle) => {
    const listener = await listen(0, faults ? withFaults(handle, faults) : handle, onFault);
    undo.defer(() => listener.close());
    return listener;
  };
  const services = await open(emulated);
  // Gives KMS a separate address, since each endpoint of a VPC serves only one service.
  const kmsListener = await open(awsServices(credentials, [kmsService(kms)], callers));
  const endpoints: Endpoints = {
    apigateway: services.url,
    apigatewaymanagementapi: services.url,
    dynamodb: proxy?.endpoint ?? endpoint,
    eventbridge: services.url,
    kms: services.url,
    lambda: services.url,
    sqs: services.url,
    ssm: services.url,
  };

  if (webSocketApi === undefined) await streams.close();
  const streamUrl = webSocketApi && streams.url;
  const outputs = {
    ...resources.outputs(),
    BaseUrl: front.url,
    ...(streamUrl !== undefined && { StreamUrl: streamUrl }),
  };
  const api = openRestApi(resources, lambda.invoke, usage.plans, report);
  const buckets = openBuckets(resources, readDeployments(resources, written));
  const served = openEdge(resources, api, webSocketApi, streams, buckets);
  // Keeps a separate address for the API behind a distribution, as on AWS.
  let handleDirect = starting;
  const direct = served ? await listen(0, (request) => handleDirect(request), onFault) : front;
  undo.defer(() => direct.close());
  const restUrl = direct.url;
  const describe = () => ({ outputs, endpoints, restUrl, region: account.region, credentials });
  const flow = createCodeFlow({ issuer, clients: options.clients ?? [], store });
  const own = ownPaths({ issuer, describe, flow, faults });
  answer = async (request) => own(request) ?? starting(request);
  await options.seed?.(front.port);
  await sources.prepare();
  const pages = options.pages?.(streamUrl);
  handleDirect = api.handle;
  const { answer: serve } = served ?? { answer: api.handle };
  answer = async (request) => own(request) ?? pages?.(request) ?? serve(request);
  if (webSocketApi) streams.serve(webSocketApi);
  edge = served;

  sources.begin();

  // Defers these again, so that they close first and nothing comes in while the rest stops. Sockets of streams may
  // belong to `front`.
  undo.defer(async () => void (await Promise.all([front, direct, streams].map((each) => each.close()))));
  undo.defer(() => sources.stop());

  const everything = undo.move();
  return {
    baseUrl: front.url,
    restUrl,
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
