import { account, arn } from "../account.ts";

/** What `Ref` gives for the names that CloudFormation itself defines. */
export const pseudoParameters: Readonly<Record<string, (stackName: string) => unknown>> = {
  "AWS::AccountId": () => account.id,
  "AWS::NoValue": () => undefined,
  "AWS::NotificationARNs": () => [],
  "AWS::Partition": () => account.partition,
  "AWS::Region": () => account.region,
  "AWS::StackId": (stackName) => arn("cloudformation", `stack/${stackName}/local`),
  "AWS::StackName": (stackName) => stackName,
  "AWS::URLSuffix": () => account.urlSuffix,
};
