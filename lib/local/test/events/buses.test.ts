import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { busService } from "../../src/events/buses.ts";
import { type Listener, listen } from "../../src/http/server.ts";
import { awsServices } from "../../src/services.ts";
import { createQueues } from "../../src/streams/queues.ts";
import { attribute, resourcesOf } from "../cloudformation/stack.ts";
import { testClock } from "../fixtures/clock.ts";

const credentials = { accessKeyId: "known", secretAccessKey: "any" };
const { clock } = testClock();
const bus = "arn:aws:events:us-east-1:000000000000:event-bus/notices";
const allowed = {
  Effect: "Allow",
  Principal: { Service: "events.amazonaws.com" },
  Action: ["sqs:SendMessage", "sqs:GetQueueUrl"],
  Resource: attribute("Queue", "Arn"),
};

function resources({ rule = {}, statement = {} } = {}) {
  return resourcesOf({
    Bus: { Type: "AWS::Events::EventBus", Properties: { Name: "notices" } },
    Queue: { Type: "AWS::SQS::Queue" },
    Policy: {
      Type: "AWS::SQS::QueuePolicy",
      Properties: {
        Queues: [{ Ref: "Queue" }],
        PolicyDocument: { Statement: [{ ...allowed, ...statement }] },
      },
    },
    Rule: {
      Type: "AWS::Events::Rule",
      Properties: {
        EventBusName: { Ref: "Bus" },
        EventPattern: { source: ["shop"] },
        State: "ENABLED",
        Targets: [{ Id: "Target0", Arn: attribute("Queue", "Arn") }],
        ...rule,
      },
    },
  });
}

const queues = createQueues(resources(), () => {}, { clock });
let server: Listener;
let client: EventBridgeClient;

beforeAll(async () => {
  server = await listen(0, awsServices(credentials, [busService(resources(), queues, clock)]), () => {});
  client = new EventBridgeClient({ endpoint: server.url, region: "us-east-1", credentials, maxAttempts: 1 });
});
afterAll(async () => {
  client.destroy();
  await server.close();
});

const put = (Source: string, EventBusName = bus) =>
  client.send(
    new PutEventsCommand({
      Entries: [{ EventBusName, Source, DetailType: "Sold", Detail: JSON.stringify({ id: 7 }) }],
    }),
  );

describe("a bus", () => {
  it("hands the events that a rule matches to its queue", async () => {
    expect(await put("shop")).toMatchObject({ FailedEntryCount: 0, Entries: [{}] });
    await put("another");
    expect(queues.messages("S-Queue")).toEqual([
      {
        version: "0",
        id: expect.any(String),
        "detail-type": "Sold",
        source: "shop",
        account: "000000000000",
        time: "2026-01-01T00:00:00Z",
        region: "us-east-1",
        resources: [],
        detail: { id: 7 },
      },
    ]);
  });

  it("refuses events of a bus that no stack has", async () => {
    await expect(put("shop", `${bus}-2`)).rejects.toMatchObject({ name: "ValidationException" });
  });

  it.each<[string, object]>([
    [
      "has something that is not emulated: Targets.0.InputPath",
      { Targets: [{ Id: "T", Arn: "a", InputPath: "$" }] },
    ],
    [
      "Targets.0.Arn: not a queue",
      { Targets: [{ Id: "T", Arn: "arn:aws:sqs:us-east-1:000000000000:other" }] },
    ],
    ["EventBusName: not a bus of the stacks", { EventBusName: "other" }],
  ])("stops the start: %s", (message, rule) => {
    expect(() => busService(resources({ rule }), queues, clock)).toThrow(message);
  });

  it("stops the start if EventBridge may not add messages to the queue", () => {
    const others = [
      { Effect: "Deny" },
      { Action: "sqs:ReceiveMessage" },
      { Principal: { AWS: "*" } },
      { Resource: "*" },
    ];
    for (const statement of others)
      expect(() => busService(resources({ statement }), queues, clock)).toThrow(
        /lets EventBridge add messages/,
      );
  });
});
