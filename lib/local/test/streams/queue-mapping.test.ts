import { afterEach, describe, expect, it } from "vitest";
import { followQueue, readQueueMapping } from "../../src/streams/queue-mapping.ts";
import { createQueues } from "../../src/streams/queues.ts";
import { attribute, queueArn, resourcesOf } from "../cloudformation/stack.ts";
import { testClock } from "../fixtures/clock.ts";

const queue = queueArn("S-Queue");
const mapping = {
  EventSourceArn: attribute("Queue", "Arn"),
  FunctionName: "reader",
  BatchSize: 2,
  FunctionResponseTypes: ["ReportBatchItemFailures"],
  ScalingConfig: { MaximumConcurrency: 2 },
};

function resources(properties: object = {}) {
  return resourcesOf({
    Dead: { Type: "AWS::SQS::Queue" },
    Queue: {
      Type: "AWS::SQS::Queue",
      Properties: {
        VisibilityTimeout: 60,
        RedrivePolicy: { deadLetterTargetArn: attribute("Dead", "Arn"), maxReceiveCount: 3 },
      },
    },
    Function: { Type: "AWS::Lambda::Function", Properties: { FunctionName: "reader" } },
    Mapping: { Type: "AWS::Lambda::EventSourceMapping", Properties: { ...mapping, ...properties } },
  });
}

const read = (properties: object = {}, denied = "") => {
  const [found] = resources(properties).ofType("AWS::Lambda::EventSourceMapping");
  if (found === undefined) throw new Error("There is no mapping");
  return readQueueMapping(
    found,
    (name) => name === "reader",
    (name, { action }) => (action === denied ? `${name} may not perform ${action}` : undefined),
  );
};

type Handed = { bodies: unknown[]; reads: string[] };

let ending = new AbortController();
afterEach(() => ending.abort());

/** Follows a queue whose function answers as told. */
function follow(answer: (handed: Handed, ids: string[]) => Promise<object | Error> | object | Error) {
  ending = new AbortController();
  const { clock, advance } = testClock();
  const queues = createQueues(resources(), () => {}, { clock });
  const handed: Handed[] = [];
  const invoke = async (_: string, event: unknown) => {
    const { Records } = event as {
      Records: { messageId: string; body: string; attributes: { ApproximateReceiveCount: string } }[];
    };
    const found = {
      bodies: Records.map(({ body }) => JSON.parse(body)),
      reads: Records.map(({ attributes }) => attributes.ApproximateReceiveCount),
    };
    handed.push(found);
    const answered = await answer(
      found,
      Records.map(({ messageId }) => messageId),
    );
    if (answered instanceof Error) return { payload: "{}", functionError: "Unhandled" as const };
    return { payload: JSON.stringify(answered) };
  };
  followQueue(read(), {
    queues,
    invoke,
    clock,
    signal: ending.signal,
    onFault: (error) => {
      throw error;
    },
  });
  return {
    queues,
    advance,
    handed,
    left: () => queues.messages("S-Queue"),
    dead: () => queues.messages("S-Dead"),
  };
}

describe("readQueueMapping", () => {
  it("reads a mapping with all its properties", () => {
    expect(read()).toEqual({
      functionName: "reader",
      queue,
      batchSize: 2,
      concurrency: 2,
      reportsItemFailures: true,
    });
  });

  it("refuses a mapping whose function may not read the queue, and properties that are not emulated", () => {
    expect(() => read({}, "sqs:DeleteMessage")).toThrow("reader may not perform sqs:DeleteMessage");
    expect(() => read({ MaximumBatchingWindowInSeconds: 5 })).toThrow("MaximumBatchingWindowInSeconds");
    expect(() => read({ FunctionName: "other" })).toThrow("there is no function other");
  });
});

describe("followQueue", () => {
  it("hands messages over in batches, and removes those that were handled", async () => {
    const { queues, advance, handed, left } = follow(() => ({}));
    for (const n of [1, 2, 3]) queues.add(queue, n);
    await advance();
    expect(handed.flatMap(({ bodies }) => bodies).toSorted()).toEqual([1, 2, 3]);
    expect(left()).toEqual([]);
  });

  it("hands over a message when its delay is over", async () => {
    const { queues, advance, handed } = follow(() => ({}));
    queues.add(queue, "late", 10_000);
    await advance(9999);
    expect(handed).toEqual([]);
    await advance(1);
    expect(handed).toEqual([{ bodies: ["late"], reads: ["1"] }]);
  });

  it("repeats messages that were reported or whose function failed, and gives them up in the end", async () => {
    const { queues, advance, handed, left, dead } = follow(({ bodies }, ids) =>
      bodies.includes("crash")
        ? new Error()
        : {
            batchItemFailures: ids
              .filter((_, index) => bodies[index] === "bad")
              .map((itemIdentifier) => ({ itemIdentifier })),
          },
    );
    queues.add(queue, "good");
    queues.add(queue, "bad");
    await advance();
    queues.add(queue, "crash");
    await advance();
    expect(left()).toEqual(["bad", "crash"]);
    await advance(59_999);
    expect(handed.flatMap(({ bodies }) => bodies).filter((body) => body === "bad")).toHaveLength(1);
    await advance(120_002);
    expect(left()).toEqual([]);
    expect(dead().toSorted()).toEqual(["bad", "crash"]);
  });

  it("runs no more batches at a time than it may", async () => {
    const pending: ((answer: object) => void)[] = [];
    const { queues, advance, handed } = follow(() => new Promise<object>((resolve) => pending.push(resolve)));
    for (let n = 0; n < 6; n++) queues.add(queue, n);
    await advance();
    expect(handed).toHaveLength(2);
    for (const resolve of pending.splice(0)) resolve({});
    await advance();
    expect(handed).toHaveLength(4);
    for (const resolve of pending.splice(0)) resolve({});
  });
});
