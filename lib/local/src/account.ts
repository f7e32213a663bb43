import { randomBytes } from "node:crypto";
import type { Store } from "./storage/store.ts";

/** Identity of the local account in every ARN, pseudo parameter and SDK client on this machine. */
export const account = {
  id: "000000000000",
  region: "us-east-1",
  partition: "aws",
  urlSuffix: "amazonaws.com",
} as const;

/** Builds an ARN in the local account, e.g. `arn("lambda", "function:list")`. */
export function arn(service: string, resource: string): string {
  return `arn:${account.partition}:${service}:${account.region}:${account.id}:${resource}`;
}

/** The URLs of the local services: the values of the SDK's AWS_ENDPOINT_URL_* variables. */
export type Endpoints = {
  apigateway: string;
  apigatewaymanagementapi: string;
  dynamodb: string;
  eventbridge: string;
  kms: string;
  lambda: string;
  sqs: string;
  ssm: string;
};

export type Credentials = { accessKeyId: string; secretAccessKey: string };

/**
 * Loads or creates the local account's only credentials. They are random, to keep other programs out of the services.
 */
export function localCredentials(store: Store): Credentials {
  const known = store.load<Credentials>("credentials");
  if (known !== undefined) return known;
  const created = {
    accessKeyId: randomBytes(16).toString("hex"),
    secretAccessKey: randomBytes(20).toString("hex"),
  };
  store.save("credentials", created);
  return created;
}
