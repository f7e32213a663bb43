import type { Credentials } from "../account.ts";
import { account } from "../account.ts";
import { type ConditionValues, type Policy, readPolicy } from "./policy.ts";

/** Services that a VPC can have endpoints for. */
export const endpointServices = ["dynamodb", "kms"] as const;

export type EndpointService = (typeof endpointServices)[number];

/** Services that check the caller's permission. */
const guardedServices = [...endpointServices, "apigateway", "events", "execute-api", "lambda", "sqs", "ssm"];

/** An endpoint in the caller's VPC, with its policy. */
export type VpcEndpoint = { id: string; vpc: string; policy: Policy };

/** A function that calls services. */
export type Caller = {
  credentials: Credentials;
  roleArn: string;
  /** The caller's ARN in AWS's messages. */
  sessionArn: string;
  /** All policies of the caller's role. */
  policy: Policy;
  /** Values of condition keys shared by all of the caller's requests. */
  values: ConditionValues;
  /** Endpoints in the caller's VPC. Undefined outside of a VPC. */
  endpoints?: Partial<Record<EndpointService, VpcEndpoint>> | undefined;
};

export type AccessRequest = { action: string; resource: string; values: ConditionValues };

const emulatedKeys =
  /^(aws:(PrincipalAccount|PrincipalArn|ResourceAccount|SourceVpc|SourceVpce|RequestTag\/.*|ResourceTag\/.*)|lambda:SourceFunctionArn|dynamodb:(Attributes|EnclosingOperation|LeadingKeys)|kms:(EncryptionContextKeys|KeyAgreementAlgorithm|MacAlgorithm|ReEncryptOnSameKey|EncryptionContext:.*))$/;

/**
 * Reads a policy of a template.
 * @throws {Error} if a statement for one of the guarded services has something that is not emulated
 */
export function readTemplatePolicy(document: unknown): Policy {
  return readPolicy(document, { services: guardedServices, isKnown: (key) => emulatedKeys.test(key) });
}

/** Values of condition keys shared by all requests in the account. */
export const accountValues: ConditionValues = {
  "aws:PrincipalAccount": [account.id],
  "aws:ResourceAccount": [account.id],
};

/** The ARN of the runner's operator. */
const rootArn = `arn:${account.partition}:iam::${account.id}:root`;
const operatorValues: ConditionValues = { ...accountValues, "aws:PrincipalArn": [rootArn] };

/** Principals for which a resource's policy leaves the decision to the policies of roles. */
const accountNames = [rootArn, account.id];

/**
 * Returns AWS's message for refusing a request. Undefined if it is allowed.
 *
 * @param caller undefined for the operator, limited only by the policy of the resource
 * @param resourcePolicy the policy of the resource, if it has one that decides, as KMS keys do
 */
export function denialOf(
  caller: Caller | undefined,
  request: AccessRequest,
  resourcePolicy?: Policy,
): string | undefined {
  const { action, resource } = request;
  const reason = caller
    ? reasonOf(caller, request, resourcePolicy)
    : reasonOfOperator(request, resourcePolicy);
  if (reason === undefined) return undefined;
  const user = caller?.sessionArn ?? rootArn;
  return `User: ${user} is not authorized to perform: ${action} on resource: ${resource} ${reason}`;
}

function reasonOfOperator({ action, values }: AccessRequest, resourcePolicy?: Policy): string | undefined {
  if (resourcePolicy === undefined) return undefined;
  const verdict = resourcePolicy({ action, values: { ...operatorValues, ...values } });
  if (verdict === "Deny") return denies("resource-based");
  return verdict === "Allow" ? undefined : doesNotAllow("resource-based", action);
}

function reasonOf(caller: Caller, request: AccessRequest, resourcePolicy?: Policy): string | undefined {
  const { action, resource } = request;
  const endpoint = caller.endpoints?.[action.split(":", 1)[0] as EndpointService];
  const values = {
    ...caller.values,
    ...(endpoint && { "aws:SourceVpce": [endpoint.id], "aws:SourceVpc": [endpoint.vpc] }),
    ...request.values,
  };
  const principals = [caller.roleArn, caller.sessionArn];

  const ofRole = caller.policy({ action, resource, values });
  if (ofRole === "Deny") return denies("identity-based");
  const atEndpoint = endpoint ? endpoint.policy({ action, resource, principals, values }) : "Allow";
  if (atEndpoint === "Deny") return denies("VPC endpoint");
  if (atEndpoint !== "Allow") return doesNotAllow("VPC endpoint", action);
  if (resourcePolicy !== undefined) {
    const ofAccount = resourcePolicy({ action, principals: [...principals, ...accountNames], values });
    if (ofAccount === "Deny") return denies("resource-based");
    if (ofAccount !== "Allow") return doesNotAllow("resource-based", action);
    // Allows the call by a policy that names the role. One that names the account leaves the decision to the role's
    // policies.
    if (resourcePolicy({ action, principals, values }) === "Allow") return undefined;
  }
  return ofRole === "Allow" ? undefined : doesNotAllow("identity-based", action);
}

type PolicyKind = "identity-based" | "resource-based" | "VPC endpoint";

const denies = (kind: PolicyKind) =>
  `with an explicit deny in ${kind === "identity-based" ? "an" : "a"} ${kind} policy`;
const doesNotAllow = (kind: PolicyKind, action: string) =>
  `because no ${kind} policy allows the ${action} action`;
