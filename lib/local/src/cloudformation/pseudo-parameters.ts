import { createHash } from "node:crypto";
import { account, arn } from "../account.ts";

/** What `Ref` gives for the names that CloudFormation itself defines. */
export const pseudoParameters: Readonly<Record<string, (stackName: string) => unknown>> = {
  "AWS::AccountId": () => account.id,
  "AWS::NoValue": () => undefined,
  "AWS::NotificationARNs": () => [],
  "AWS::Partition": () => account.partition,
  "AWS::Region": () => account.region,
  "AWS::StackId": (stackName) => arn("cloudformation", `stack/${stackName}/${guidOf(stackName)}`),
  "AWS::StackName": (stackName) => stackName,
  "AWS::URLSuffix": () => account.urlSuffix,
};

/** In the form of the random part of a stack's id, and the same from run to run. */
const guidOf = (stackName: string) =>
  createHash("sha256")
    .update(stackName)
    .digest("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
