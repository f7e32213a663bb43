import { expect, test } from "vitest";
import { createQueues } from "../../src/events/queues.ts";
import { attribute, queueArn, resourcesOf } from "../cloudformation/stack.ts";

function open(Properties: Record<string, unknown> = {}, kept?: number) {
  const lines: string[] = [];
  const resources = resourcesOf({ Failed: { Type: "AWS::SQS::Queue", Properties } });
  return { queues: createQueues(resources, (line) => lines.push(line), kept), lines };
}

test("a queue is known by its ARN, and read by its name", () => {
  const { queues } = open();
  expect(queues.has(queueArn("S-Failed"))).toBe(true);
  expect(queues.has(queueArn("other"))).toBe(false);
  queues.send(queueArn("S-Failed"), "listener", { n: 1 });
  queues.send(queueArn("S-Failed"), "listener", { n: 2 });
  expect(queues.messages("S-Failed")).toEqual([{ n: 1 }, { n: 2 }]);
  expect(queues.messages("other")).toEqual([]);
});

test("a message is told of by the names of queue and function, and nothing of what it says", () => {
  const { queues, lines } = open({ QueueName: "failed-changes" });
  queues.send(queueArn("failed-changes"), "listener", { secret: "0xabc" });
  expect(lines).toEqual(["A message about listener went to the queue failed-changes"]);
});

test("a queue keeps the newest messages, so many and no more", () => {
  const { queues } = open({}, 2);
  for (const n of [1, 2, 3]) queues.send(queueArn("S-Failed"), "listener", n);
  expect(queues.messages("S-Failed")).toEqual([2, 3]);
});

test("what does not change anything for who sends may be said of a queue, and nothing else", () => {
  const encrypted = {
    SqsManagedSseEnabled: true,
    MessageRetentionPeriod: 1_209_600,
    KmsMasterKeyId: "alias/x",
  };
  expect(open(encrypted).queues.has(queueArn("S-Failed"))).toBe(true);
  expect(() => open({ FifoQueue: true })).toThrow(
    "Failed (AWS::SQS::Queue) has something that is not emulated: FifoQueue",
  );
});

test("intrinsics give the URL, the ARN and the name of a queue", () => {
  const queue = { Type: "AWS::SQS::Queue", Properties: { QueueName: "failed" } };
  const Properties = {
    url: { Ref: "Failed" },
    arn: attribute("Failed", "Arn"),
    name: attribute("Failed", "QueueName"),
  };
  const resources = resourcesOf({ Failed: queue, Policy: { Type: "AWS::SQS::QueuePolicy", Properties } });
  expect(resources.ofType("AWS::SQS::QueuePolicy")[0]?.properties()).toEqual({
    url: "https://sqs.us-east-1.amazonaws.com/000000000000/failed",
    arn: "arn:aws:sqs:us-east-1:000000000000:failed",
    name: "failed",
  });
});
