import { json, listen, pathOf } from "cdk-local-runner/testing";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { openRetryQueue } from "../../lib/runtime/retry-queue.ts";

const calls: { target: string | undefined; body: object }[] = [];
const server = await listen(
  0,
  async (request) => {
    const target = request.headers.find(([name]) => name.toLowerCase() === "x-amz-target")?.[1];
    calls.push({ target: `${pathOf(request)} ${target}`, body: JSON.parse(request.body.toString()) });
    return json(200, {});
  },
  () => {},
);
afterAll(() => server.close());

const QueueUrl = "https://sqs.us-east-1.amazonaws.com/000000000000/retries";

beforeEach(() => {
  calls.length = 0;
  vi.stubEnv("AWS_ENDPOINT_URL_SQS", server.url);
  vi.stubEnv("AWS_REGION", "us-east-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "key");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  return () => vi.unstubAllEnvs();
});

it("openRetryQueue sends and hides messages, for as long as SQS allows", async () => {
  const queue = openRetryQueue(QueueUrl);
  await queue.send({ n: 1 }, 10);
  await queue.send({ n: 2 }, 16_000);
  await queue.hide("r1", 16_000);
  await queue.hide("r2", 99_999);
  expect(calls).toEqual([
    { target: "/ AmazonSQS.SendMessage", body: { QueueUrl, MessageBody: '{"n":1}', DelaySeconds: 10 } },
    { target: "/ AmazonSQS.SendMessage", body: { QueueUrl, MessageBody: '{"n":2}', DelaySeconds: 900 } },
    {
      target: "/ AmazonSQS.ChangeMessageVisibility",
      body: { QueueUrl, ReceiptHandle: "r1", VisibilityTimeout: 16_000 },
    },
    {
      target: "/ AmazonSQS.ChangeMessageVisibility",
      body: { QueueUrl, ReceiptHandle: "r2", VisibilityTimeout: 43_200 },
    },
  ]);
});
