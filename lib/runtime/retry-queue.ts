import { maxAttempts, timeouts } from "../aws/timeouts.ts";
import { SignedClient } from "./signed-client.ts";

/** Longest time for which SQS holds back a new message, and hides one that was read. */
const longestDelaySeconds = 900;
const longestHidingSeconds = 43_200;

/** A queue of SQS whose messages are tried again later. */
export type RetryQueue = {
  /** Adds a message that is handed out after some seconds. */
  send(message: object, seconds: number): Promise<void>;
  /** Hides a message that was read for some seconds. */
  hide(receiptHandle: string, seconds: number): Promise<void>;
};

export function openRetryQueue(QueueUrl: string): RetryQueue {
  const client = new SignedClient("sqs", { maxAttempts, requestHandler: timeouts });
  async function call(operation: string, fields: object): Promise<void> {
    const input = { QueueUrl, ...fields };
    await client.send(input, {
      path: "/",
      headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": `AmazonSQS.${operation}` },
      body: JSON.stringify(input),
    });
  }
  return {
    send: (message, seconds) =>
      call("SendMessage", {
        MessageBody: JSON.stringify(message),
        DelaySeconds: Math.min(seconds, longestDelaySeconds),
      }),
    hide: (ReceiptHandle, seconds) =>
      call("ChangeMessageVisibility", {
        ReceiptHandle,
        VisibilityTimeout: Math.min(seconds, longestHidingSeconds),
      }),
  };
}
