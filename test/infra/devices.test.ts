import { readAccess } from "cdk-local-runner/testing";
import { describe, expect, it } from "vitest";
import { pushKeyParameter } from "../../lib/devices/push-key.ts";
import { type OperationName, operations, servedMethods } from "../../lib/operations/operations.ts";
import { partitionNameOf, partitions } from "../../lib/table/layout.ts";
import { statementsOfRole } from "./statements.ts";
import {
  customContext,
  functionsOf,
  logicalIdOf,
  only,
  propertiesOf,
  resourcesOf,
  synthesize,
  tradingContext,
} from "./synthesized.ts";

const names = Object.keys(operations) as OperationName[];
const on = synthesize(tradingContext);
const off = synthesize();
const { noticeBusArn } = customContext;

const access = readAccess([
  { name: "TerminalData", template: on.data },
  { name: "TerminalApi", template: on.api },
]);
const table = access.arn(only(on.data, "AWS::DynamoDB::Table").id);
const ask = (
  name: string,
  action: string,
  resource: string,
  values: Record<string, readonly string[]> = {},
) => access.denial(access.ref(logicalIdOf(on.api, name)), { action, resource, values });
const holders = (action: string, resource: string) =>
  names.filter((name) => ask(name, action, resource) === undefined);

const arnOf = (service: string, rest: string) => `arn:aws:${service}:us-east-1:000000000000:${rest}`;
const bus = access.arn(only(on.api, "AWS::Events::EventBus").id);

describe("notifyOwner, taken over", () => {
  it("reads devices and their addresses, and no key, wallet, order or profile", () => {
    for (const action of [
      "GetItem",
      "BatchGetItem",
      "Query",
      "ConditionCheckItem",
      "Scan",
      "PartiQLSelect",
    ]) {
      const readable = partitions
        .map(({ key }) => partitionNameOf(key))
        .filter(
          (name) =>
            ask("notifyOwner", `dynamodb:${action}`, table, { "dynamodb:LeadingKeys": [`${name}#u`] }) ===
            undefined,
        );
      const isGiven = ["BatchGetItem", "Query"].includes(action);
      expect(readable, action).toEqual(isGiven ? ["DEVICES", "DEVICEKEYS"] : []);
      const both = { "dynamodb:LeadingKeys": ["DEVICES#u", "TRADES#u"] };
      expect(ask("notifyOwner", `dynamodb:${action}`, table, both)).toBeDefined();
    }
  });

  it("opens no wallet, calls no function, reaches no client, and puts no notice on the bus", () => {
    const role = functionsOf(on).notifyOwner?.Role["Fn::GetAtt"][0] ?? "";
    const granted = statementsOfRole(on.api, role).filter(({ Effect }) => Effect === "Allow");
    const services = new Set(granted.flatMap(({ Action }) => Action).map((action) => action.split(":")[0]));
    expect([...services].toSorted()).toEqual(["dynamodb", "logs", "sqs", "ssm"]);
    expect(holders("events:PutEvents", bus)).toEqual(["publishChanges"]);
  });

  it("is the only reader of the key for pushes, and of the queues", () => {
    expect(holders("ssm:GetParameter", arnOf("ssm", `parameter${pushKeyParameter}`))).toEqual([
      "notifyOwner",
    ]);
    const queues = Object.keys(resourcesOf(on.api, "AWS::SQS::Queue")).filter((id) =>
      id.startsWith("Notices"),
    );
    expect(queues).toHaveLength(3);
    for (const id of queues) {
      const isFailed = id.startsWith("NoticesFailed");
      expect(holders("sqs:ReceiveMessage", access.arn(id))).toEqual(isFailed ? [] : ["notifyOwner"]);
    }
  });
});

describe("the notice bus", () => {
  it("is the service's own, or that of the operators, and its rule hands notices to a queue", () => {
    const [rule] = rulesOnBuses(on.api);
    expect(rule?.EventPattern).toEqual({ source: ["trading-terminal"] });
    const theirs = synthesize({ ...tradingContext, noticeBusArn });
    expect(propertiesOf(theirs.api, "AWS::Events::EventBus")).toEqual([]);
    expect(rulesOnBuses(theirs.api)).toMatchObject([{ EventBusName: "notices" }]);
  });

  it("keeps notices for longer than a device is tried", () => {
    const kept = propertiesOf<{ MessageRetentionPeriod: number }>(on.api, "AWS::SQS::Queue");
    for (const { MessageRetentionPeriod } of kept) expect(MessageRetentionPeriod).toBeGreaterThan(86_400);
  });
});

const rulesOnBuses = (template: typeof on.api) =>
  propertiesOf<{ EventPattern?: object; EventBusName?: unknown }>(template, "AWS::Events::Rule").filter(
    ({ EventBusName }) => EventBusName !== undefined,
  );

describe("a deployment without devices", () => {
  it("has no function, bus or queue of devices, except for the function that refuses them", () => {
    const ofDevices = names.filter((name) => operations[name].deployed === "with devices");
    expect(ofDevices).toEqual(["createDevice", "listDevices", "deleteDevice", "notifyOwner"]);
    for (const name of ofDevices) expect(functionsOf(off)).not.toHaveProperty(name);
    expect(propertiesOf(off.api, "AWS::Events::EventBus")).toEqual([]);
    const queues = Object.keys(resourcesOf(off.api, "AWS::SQS::Queue"));
    expect(queues.filter((id) => id.startsWith("Notices"))).toEqual([]);
    const doors = servedMethods.filter(({ name }) => ofDevices.includes(name));
    const served = propertiesOf<{ Integration: { Uri?: unknown } }>(
      off.api,
      "AWS::ApiGateway::Method",
    ).filter(({ Integration }) => JSON.stringify(Integration.Uri ?? "").includes('"refuseDevicesFunction'));
    expect(served).toHaveLength(doors.length);
  });
});
