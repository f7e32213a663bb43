import type { Credentials } from "../account.ts";
import { account } from "../account.ts";
import { type ConditionValues, type Policy, readPolicy } from "./policy.ts";

/** The services that ask for a caller's permission. */
export const guardedServices = ["dynamodb", "kms"] as const;

export type GuardedService = (typeof guardedServices)[number];

/** An endpoint in the caller's VPC, with its policy. */
export type VpcEndpoint = { id: string; vpc: string; policy: Policy };

/** A function, as the services see it. */
export type Caller = {
  credentials: Credentials;
  roleArn: string;
  /** The ARN that AWS's messages have. */
  sessionArn: string;
  /** What its role may do. */
  policy: Policy;
  /** The values of condition keys that all its requests have. */
  values: ConditionValues;
  /** Present if it is in a VPC: the endpoints there. */
  endpoints?: Partial<Record<GuardedService, VpcEndpoint>> | undefined;
};

export type AccessRequest = { action: string; resource: string; values: ConditionValues };

const emulatedKeys =
  /^(aws:(PrincipalAccount|PrincipalArn|ResourceAccount|SourceVpc|SourceVpce)|lambda:SourceFunctionArn|dynamodb:(EnclosingOperation|LeadingKeys)|kms:(EncryptionContextKeys|KeyAgreementAlgorithm|MacAlgorithm|ReEncryptOnSameKey|EncryptionContext:.*))$/;

/** @throws {Error} if the document has something that is not emulated, and is for a service that asks */
export function readTemplatePolicy(document: unknown): Policy {
  return readPolicy(document, { services: guardedServices, isKnown: (key) => emulatedKeys.test(key) });
}

/** The values of condition keys that all requests in the account have. */
export const accountValues: ConditionValues = {
  "aws:PrincipalAccount": [account.id],
  "aws:ResourceAccount": [account.id],
};

/** The operator of the runner. */
const rootArn = `arn:${account.partition}:iam::${account.id}:root`;
const operatorValues: ConditionValues = { ...accountValues, "aws:PrincipalArn": [rootArn] };

/** Names by which the policy of a resource leaves a decision to the policies of roles. */
const accountNames = [rootArn, account.id];

/**
 * Why a request is refused, in the words of AWS. Undefined if it is allowed.
 *
 * @param caller undefined for the operator, whom only the policy of the resource can limit
 * @param ofResource the policy of the resource, if it has one that decides, as a KMS key does
 */
export function denialOf(
  caller: Caller | undefined,
  request: AccessRequest,
  ofResource?: Policy,
): string | undefined {
  const { action, resource } = request;
  const why = caller ? reasonOf(caller, request, ofResource) : reasonOfOperator(request, ofResource);
  if (why === undefined) return undefined;
  const user = caller?.sessionArn ?? rootArn;
  return `User: ${user} is not authorized to perform: ${action} on resource: ${resource} ${why}`;
}

function reasonOfOperator({ action, values }: AccessRequest, ofResource?: Policy): string | undefined {
  if (ofResource === undefined) return undefined;
  const verdict = ofResource({ action, values: { ...operatorValues, ...values } });
  if (verdict === "Deny") return denies("resource-based");
  return verdict === "Allow" ? undefined : doesNotAllow("resource-based", action);
}

function reasonOf(caller: Caller, request: AccessRequest, ofResource?: Policy): string | undefined {
  const { action, resource } = request;
  const endpoint = caller.endpoints?.[action.split(":", 1)[0] as GuardedService];
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
  if (ofResource !== undefined) {
    const ofAccount = ofResource({ action, principals: [...principals, ...accountNames], values });
    if (ofAccount === "Deny") return denies("resource-based");
    if (ofAccount !== "Allow") return doesNotAllow("resource-based", action);
    // A policy that names the role needs no other. One that names the account leaves it to the role's.
    if (ofResource({ action, principals, values }) === "Allow") return undefined;
  }
  return ofRole === "Allow" ? undefined : doesNotAllow("identity-based", action);
}

type PolicyKind = "identity-based" | "resource-based" | "VPC endpoint";

const denies = (kind: PolicyKind) =>
  `with an explicit deny in ${kind === "identity-based" ? "an" : "a"} ${kind} policy`;
const doesNotAllow = (kind: PolicyKind, action: string) =>
  `because no ${kind} policy allows the ${action} action`;
