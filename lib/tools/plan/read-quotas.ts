import { lookup } from "node:dns/promises";
import { APIGatewayClient, GetAccountCommand, paginateGetApiKeys } from "@aws-sdk/client-api-gateway";
import { GetAccountSettingsCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { Sha256 } from "@smithy/core/checksum";
import { HttpRequest } from "@smithy/core/protocols";
import { SignatureV4 } from "@smithy/signature-v4";
import { didYouMean } from "../../infra/did-you-mean.ts";
import { OperatorError } from "../admin/operator-error.ts";

/** An account in a region, with the quotas that a deployment may exceed. */
export type AccountQuotas = {
  id: string;
  region: string;
  /** Functions that may run at the same time. */
  concurrentRuns: number;
  /** Runs that no function has reserved. */
  unreservedRuns: number;
  /** Requests a second to API Gateway. */
  requestsPerSecond: number;
  /** Names of the account's API keys, of which there may be 10,000. */
  keyNames: readonly string[];
};

/** Services of which every deployment needs an endpoint in its region. */
const services = [
  "apigateway",
  "cloudformation",
  "cognito-idp",
  "dynamodb",
  "events",
  "kms",
  "lambda",
  "logs",
  "monitoring",
  "secretsmanager",
  "sqs",
] as const;

/** Services that a replica needs in its region. */
export const replicaServices = ["backup", "cloudformation", "kms"] as const;

export type ReadQuotas = typeof readQuotas;

/**
 * Reads the account of the standard AWS variables. The endpoints of AWS_ENDPOINT_URL replace those of the region.
 *
 * @throws {OperatorError} if there is no region or no credentials, or the region lacks a service.
 */
export async function readQuotas(env: NodeJS.ProcessEnv, replicaRegion?: string): Promise<AccountQuotas> {
  const lambda = new LambdaClient({ maxAttempts: 2 });
  const gateway = new APIGatewayClient({ maxAttempts: 2 });
  const region = await lambda.config.region().catch(() => {
    throw new OperatorError("No AWS region: set AWS_REGION, or AWS_PROFILE to a profile that has one");
  });
  const endpoint = env.AWS_ENDPOINT_URL;
  if (endpoint === undefined) await checkEndpoints(region, services);
  if (endpoint === undefined && replicaRegion !== undefined)
    await checkEndpoints(replicaRegion, replicaServices);
  const credentials = await lambda.config.credentials().catch(() => {
    throw new OperatorError(
      "No AWS credentials: sign in, or set AWS_PROFILE to a profile that has some. Add --offline to look only at the configuration",
    );
  });
  const [id, { AccountLimit = {} }, { throttleSettings = {} }, keyNames] = await Promise.all([
    accountOf(endpoint ?? `https://sts.${region}.${suffixOf(region)}`, region, credentials),
    lambda.send(new GetAccountSettingsCommand({})),
    gateway.send(new GetAccountCommand({})),
    namesOfKeys(gateway),
  ]);
  const { ConcurrentExecutions: concurrentRuns = 0 } = AccountLimit;
  return {
    id,
    region,
    concurrentRuns,
    unreservedRuns: AccountLimit.UnreservedConcurrentExecutions ?? concurrentRuns,
    requestsPerSecond: throttleSettings.rateLimit ?? 0,
    keyNames,
  };
}

const suffixOf = (region: string) => (region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com");

/**
 * Checks that a region has endpoints of services.
 *
 * @throws {OperatorError} if the region does not exist, lacks a service, or AWS cannot be reached.
 */
export async function checkEndpoints(
  region: string,
  needed: readonly string[],
  find: (host: string) => Promise<unknown> = lookup,
): Promise<void> {
  const found = await Promise.all(
    needed.map((service) =>
      find(`${service}.${region}.${suffixOf(region)}`).then(
        () => true,
        () => false,
      ),
    ),
  );
  const missing = needed.filter((_, index) => !found[index]);
  if (missing.length === 0) return;
  if (missing.length < needed.length)
    throw new OperatorError(`Region ${region} lacks ${missing.join(", ")}, which the stacks need`);
  // Loads the list only here, because that takes a second.
  const { RegionInfo } = await import("aws-cdk-lib/region-info");
  const known = RegionInfo.regions.map(({ name }) => name);
  if (known.includes(region))
    throw new OperatorError(`AWS cannot be reached in region ${region}: is this machine offline?`);
  throw new OperatorError(`Region ${region} does not exist${didYouMean(region, known)}`);
}

async function namesOfKeys(client: APIGatewayClient): Promise<string[]> {
  const names: string[] = [];
  for await (const { items = [] } of paginateGetApiKeys({ client, pageSize: 500 }, {}))
    names.push(...items.map(({ name = "" }) => name));
  return names;
}

type Credentials = Awaited<ReturnType<LambdaClient["config"]["credentials"]>>;

/** Asks STS whose credentials these are. A client of STS is not worth a dependency. */
async function accountOf(endpoint: string, region: string, credentials: Credentials): Promise<string> {
  const { protocol, hostname, port, host } = new URL(endpoint);
  const signer = new SignatureV4({ service: "sts", region, credentials, sha256: Sha256 });
  const body = "Action=GetCallerIdentity&Version=2011-06-15";
  const headers = { host, "content-type": "application/x-www-form-urlencoded" };
  const unsigned = new HttpRequest({ protocol, hostname, method: "POST", path: "/", headers, body });
  if (port !== "") unsigned.port = Number(port);
  const signed = await signer.sign(unsigned);
  const response = await fetch(`${protocol}//${host}/`, { method: "POST", headers: signed.headers, body });
  const text = await response.text();
  const [, account] = /<Account>(\d{12})<\/Account>/.exec(text) ?? [];
  if (response.ok && account !== undefined) return account;
  const [, code = `status ${response.status}`] = /<Code>(\w+)<\/Code>/.exec(text) ?? [];
  throw new OperatorError(`AWS refuses the credentials: ${code}`);
}
