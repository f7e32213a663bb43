import { describe, expect, it } from "vitest";
import { createQueues } from "../../src/streams/queues.ts";
import { queueArn, resourcesOf } from "../cloudformation/stack.ts";

function open(Properties: Record<string, unknown> = {}, kept = 1000) {
  const lines: string[] = [];
  const resources = resourcesOf({ Failed: { Type: "AWS::SQS::Queue", Properties } });
  return { queues: createQueues(resources, (line) => lines.push(line), { capacity: kept }), lines };
}

describe("createQueues", () => {
  it("finds a queue by its ARN and reads it by its name", () => {
    const { queues } = open();
    expect(queues.has(queueArn("S-Failed"))).toBe(true);
    expect(queues.has(queueArn("other"))).toBe(false);
    queues.send(queueArn("S-Failed"), "listener", { n: 1 });
    queues.send(queueArn("S-Failed"), "listener", { n: 2 });
    expect(queues.messages("S-Failed")).toEqual([{ n: 1 }, { n: 2 }]);
    expect(queues.messages("other")).toEqual([]);
  });

  it("reports a message by queue and function, without its content", () => {
    const { queues, lines } = open({ QueueName: "failed-changes" });
    queues.send(queueArn("failed-changes"), "listener", { secret: "0xabc" });
    expect(lines).toEqual(["A message about listener went to the queue failed-changes"]);
  });

  it("drops the oldest messages of a full queue", () => {
    const { queues } = open({}, 2);
    for (const n of [1, 2, 3]) queues.send(queueArn("S-Failed"), "listener", n);
    expect(queues.messages("S-Failed")).toEqual([2, 3]);
  });

  it("accepts properties without effect, and rejects all others", () => {
    const encrypted = {
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 1_209_600,
    };
    expect(open(encrypted).queues.has(queueArn("S-Failed"))).toBe(true);
    expect(() => open({ FifoQueue: true })).toThrow(
      "Failed (AWS::SQS::Queue) has something that is not emulated: FifoQueue",
    );
  });
});
