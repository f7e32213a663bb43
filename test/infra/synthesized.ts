import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { evmChains } from "../../lib/core/chain-facts.ts";
import { readStacks } from "../../lib/infra/read-stacks.ts";

export type Resource<Properties = Record<string, unknown>> = {
  Type: string;
  Properties: Properties;
  DependsOn?: string[];
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
};

export type Template = {
  Description: string;
  Resources: Record<string, Resource>;
  Outputs: Record<string, { Value: unknown }>;
};

export type Templates = {
  data: Template;
  api: Template;
  watch: Template;
  /** Templates of the edge and the firewall. Undefined where they are off. */
  edge: Template | undefined;
  firewall: Template | undefined;
  protectedData: boolean;
  /** Names, for each stack, the stacks that are deployed before it. */
  deployedAfter: Record<string, string[]>;
};

/** A context in which every choice differs from its default. Only the VPC stays, because CDK warns without it. */
export const customContext = {
  allowedOrigins: ["https://app.example", "http://localhost:5173"],
  walletLimits: { Pro: 60 },
  issuer: "https://id.example/",
  audience: "terminal",
  maxTokenSeconds: 3600,
  cookieName: "session",
  bareCookie: true,
  cookieSameSite: "Lax",
  channelShards: 7,
  connectionsPerUser: 3,
  priceFeeds: [{ source: "near", venue: "kraken", url: "ws://127.0.0.1:4000/v2" }],
  fallbackKeys: 6,
  keyGraceSeconds: 7,
  importKeys: ["1"],
  accountRequestsPerSecond: 2500,
  throttles: { ping: { rateLimit: 3, burstLimit: 4 } },
  trading: ["base"],
  laneShards: 16,
  readChainsMemoryMB: 1769,
  readChainsPerChain: true,
  marketTokens: { base: 400 },
  earning: {},
  concurrentRuns: 500,
  walletExport: true,
  devices: true,
  exportDelaySeconds: 100_000,
  noticeBusArn: "arn:aws:events:eu-west-1:111111111111:event-bus/notices",
  hostKeys: "/terminal/host-keys",
  chains: { base: { hosts: ["http://127.0.0.1:8546/{alchemy}", "http://127.0.0.1:9546"] } },
  edge: false,
  domainName: "api.example.com",
  certificateArn: "arn:aws:acm:eu-west-1:111111111111:certificate/1",
  streamDomainName: "stream.example.com",
  streamCertificateArn: "arn:aws:acm:eu-west-1:111111111111:certificate/2",
  mailFrom: "Terminal <no-reply@mail.example>",
  mailIdentityArn: "arn:aws:ses:eu-west-1:111111111111:identity/mail.example",
  tableStreamArn: "arn:aws:dynamodb:eu-west-1:111111111111:table/Table/stream/2026-11-21T09:00:00.000",
  warmThroughput: { readUnitsPerSecond: 13_000, writeUnitsPerSecond: 5000 },
  alarmTopicArn: "arn:aws:sns:eu-west-1:111111111111:alarms",
  ticketTopicArn: "arn:aws:sns:eu-west-1:111111111111:tickets",
  budgetDollars: 500,
};

/** Hosts of the operator for each chain. Chains without such hosts are not switched on. */
export const ownHosts = Object.fromEntries(
  evmChains.map((chain) => [chain, { hosts: ["https://rpc.example", "https://other.example"] }]),
);

/** A context without prices but with all rows, because it switches every capability on. */
export const tradingContext = {
  priceFeeds: [],
  trading: evmChains,
  chains: ownHosts,
  walletExport: true,
  devices: true,
  earning: {},
};

/** A context without the VPC but with all options for the edge. */
export const firewallContext = {
  trading: ["eth"],
  chains: ownHosts,
  signerVpc: false,
  domainName: "api.example.com",
  certificateArn: "arn:aws:acm:us-east-1:111111111111:certificate/1",
  webAclArn: "arn:aws:wafv2:us-east-1:111111111111:global/webacl/Edge/1",
  edgeOnly: true,
  originKeys: ["1", "2"],
  firewall: true,
  allowedOrigins: ["https://app.example", "https://other.example"],
};

/**
 * Contexts that together cover a user pool, an issuer, custom domains, no domains, origins, alarms, no prices, all
 * chains, and no VPC.
 */
export const contexts: Record<string, Record<string, unknown>> = {
  "the defaults": {},
  "every choice": customContext,
  "no prices, and all chains": tradingContext,
  "no walls, and a firewall": firewallContext,
};

const synthesized = new Map<string, Templates>();

/**
 * Returns the templates for a context, without the functions' code and CDK's check, because both take seconds and are
 * covered by synthesis.test.ts and bundles.test.ts. All workers share the templates, so tests must not change them.
 */
export function synthesize(context: Record<string, unknown> = {}): Templates {
  const key = JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1)));
  const templates = synthesized.get(key) ?? shared(key, () => synthesizeNow(context));
  synthesized.set(key, templates);
  return templates;
}

/** Reads the templates that another worker has made, or makes the templates for all workers. */
function shared(key: string, make: () => Templates): Templates {
  const file = join(inject("templates"), createHash("sha256").update(key).digest("hex"));
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  const templates = make();
  // Writes the file as a whole, even if two workers make it at the same time.
  writeFileSync(`${file} ${process.pid}`, JSON.stringify(templates));
  renameSync(`${file} ${process.pid}`, file);
  return templates;
}

function synthesizeNow(context: Record<string, unknown>): Templates {
  return readStacks(context, (stacks) => {
    const [data, api, watch, edge, firewall] = ["Data", "Api", "Watch", "Edge", "Firewall"].map((name) =>
      stacks.find(({ stackName }) => stackName === `Terminal${name}`),
    );
    if (!data || !api || !watch) throw new Error("A stack is missing");
    return {
      data: data.template,
      api: api.template,
      watch: watch.template,
      edge: edge?.template,
      firewall: firewall?.template,
      deployedAfter: Object.fromEntries(
        stacks.map(({ stackName, deployedAfter }) => [stackName, deployedAfter]),
      ),
      protectedData: data.isProtected,
    };
  });
}

/**
 * Returns the template of the watch stack, with outputs replaced by references into the other templates.
 * @param onRead receives each value, and the template that the value refers to
 */
export function watchOf(
  { watch, ...others }: Pick<Templates, "data" | "api" | "watch">,
  onRead = (_value: unknown, _from: Template) => {},
): Template {
  return withOutputs(watch, others, onRead);
}

/** Returns a stack's template, with outputs replaced by references into the other templates. */
export function withOutputs(
  template: Template,
  { data, api }: Pick<Templates, "data" | "api">,
  onRead = (_value: unknown, _from: Template) => {},
): Template {
  const stacks: Record<string, Template> = { TerminalData: data, TerminalApi: api };
  return JSON.parse(JSON.stringify(template), (_, value) => {
    const { StackName, OutputName } = value?.["Fn::GetStackOutput"] ?? {};
    if (OutputName === undefined) return value;
    const from = stacks[StackName];
    const output = from?.Outputs[OutputName];
    if (from === undefined || output === undefined)
      throw new Error(`${StackName} has no output ${OutputName}`);
    onRead(output.Value, from);
    return output.Value;
  });
}

/** Lists all templates of a deployment. */
export const allOf = ({ data, api, watch, edge, firewall }: Templates): Template[] =>
  [data, api, edge, firewall, watch].filter((template) => template !== undefined);

/** Returns the resources of a type, by logical id. */
export function resourcesOf<Properties>(
  template: Template,
  type: string,
): Record<string, Resource<Properties>> {
  const ofType = Object.entries(template.Resources).filter(([, resource]) => resource.Type === type);
  return Object.fromEntries(ofType) as Record<string, Resource<Properties>>;
}

/** Returns the properties of the resources of a type, without their ids. */
export function propertiesOf<Properties>(template: Template, type: string): Properties[] {
  return Object.values(resourcesOf<Properties>(template, type)).map(({ Properties }) => Properties);
}

/** Returns the only resource of a type. */
export function only<Properties>(template: Template, type: string): Resource<Properties> & { id: string } {
  const [first, ...others] = Object.entries(resourcesOf<Properties>(template, type));
  if (first === undefined || others.length > 0)
    throw new Error(`Expected one ${type}, found ${first === undefined ? 0 : others.length + 1}`);
  return { id: first[0], ...first[1] };
}

type KeyProperties = {
  KeySpec?: string;
  KeyPolicy: { Statement: { Sid: string; [name: string]: unknown }[] };
};

/** Returns the key that wraps the data keys of wallets. */
export function walletKeyOf({ data }: Pick<Templates, "data">) {
  const keys = Object.entries(resourcesOf<KeyProperties>(data, "AWS::KMS::Key"));
  const [key] = keys.filter(([, { Properties }]) => Properties.KeySpec === undefined);
  if (key === undefined) throw new Error("There is no key of wallets");
  return { id: key[0], ...key[1] };
}

/** Returns the id of the key that authenticates orders, which the data stack keeps, or of that of children. */
export function macKeyIdIn(template: Template): string {
  const keys = Object.entries(resourcesOf<KeyProperties>(template, "AWS::KMS::Key"));
  const [key] = keys.filter(([, { Properties }]) => Properties.KeySpec === "HMAC_256");
  if (key === undefined) throw new Error("There is no key for MACs");
  return key[0];
}

/** Lists the keys to which users seal private keys, in the order of the template. */
export function importKeysOf({ data }: Pick<Templates, "data">) {
  const keys = Object.entries(resourcesOf<KeyProperties>(data, "AWS::KMS::Key"));
  return keys
    .filter(([, { Properties }]) => Properties.KeySpec === "ECC_NIST_P256")
    .map(([id, key]) => ({ id, ...key }));
}

export type FunctionProperties = {
  Architectures: string[];
  Code: { S3Key: string };
  /** Variables of the function. Absent if its row needs none. */
  Environment?: { Variables: Record<string, unknown> };
  Handler: string;
  LoggingConfig: Record<string, unknown>;
  MemorySize: number;
  Role: { "Fn::GetAtt": [string, "Arn"] };
  Runtime: string;
  Timeout: number;
  /** Network of the function. Absent if the function is not in the VPC. */
  VpcConfig?: { SecurityGroupIds: unknown[]; SubnetIds: unknown[] };
};

const functionIds = new WeakMap<Template, ReadonlyMap<string, string>>();

/** Returns the logical id of a row's function. Lists the ids once, because tests of rights ask thousands of times. */
export function logicalIdOf(template: Template, name: string): string {
  const known = functionIds.get(template);
  const ids =
    known ??
    new Map(Object.keys(resourcesOf(template, "AWS::Lambda::Function")).map((id) => [nameOf(id), id]));
  functionIds.set(template, ids);
  const id = ids.get(name);
  if (id === undefined) throw new Error(`There is no function ${name}`);
  return id;
}

const nameOf = (logicalId: string) => logicalId.replace(/Function[0-9A-F]{8}$/, "");

/** Returns the properties of the functions, by the name of their row. */
export function functionsOf({ api }: Pick<Templates, "api">): Record<string, FunctionProperties> {
  const functions = Object.entries(resourcesOf<FunctionProperties>(api, "AWS::Lambda::Function"));
  return Object.fromEntries(functions.map(([id, { Properties }]) => [nameOf(id), Properties]));
}
