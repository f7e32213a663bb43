import * as v from "valibot";
import { arn } from "../account.ts";
import { bodyOf } from "../http/json.ts";
import { type GatewayRequest, type GatewayResponse, header, json } from "../http/messages.ts";
import { guarded, refusal, type ServiceRoute } from "../services.ts";
import type { Queues } from "./queues.ts";

const prefix = "AmazonSQS.";

/** Schemas are strict, so that parameters that are not emulated are rejected, not ignored. */
const requests = {
  SendMessage: v.strictObject({
    QueueUrl: v.string(),
    MessageBody: v.pipe(v.string(), v.parseJson()),
    DelaySeconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(900)), 0),
  }),
  ChangeMessageVisibility: v.strictObject({
    QueueUrl: v.string(),
    ReceiptHandle: v.string(),
    VisibilityTimeout: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(43_200)),
  }),
};

/** Emulates the calls of SQS by which a function adds messages, and hides those that it reads. */
export function queueService(queues: Queues): ServiceRoute {
  function answer(operation: string, body: unknown): GatewayResponse {
    const queue = queueOf(body);
    if (!queues.has(queue)) return refusal(400, "QueueDoesNotExist", "The specified queue does not exist.");
    const send = v.safeParse(requests.SendMessage, body);
    if (operation === "SendMessage" && send.success) {
      const { MessageBody, DelaySeconds } = send.output;
      return json(200, { MessageId: queues.add(queue, MessageBody, DelaySeconds * 1000) });
    }
    const hide = v.safeParse(requests.ChangeMessageVisibility, body);
    if (operation === "ChangeMessageVisibility" && hide.success) {
      const { ReceiptHandle, VisibilityTimeout } = hide.output;
      return queues.hide(queue, ReceiptHandle, VisibilityTimeout * 1000)
        ? json(200, {})
        : refusal(400, "MessageNotInflight", "The specified message isn't in flight.");
    }
    return refusal(
      400,
      "UnknownOperationException",
      `sqs:${operation} is not emulated, or not with this input`,
    );
  }

  return guarded(
    (request) => {
      const operation = operationOf(request);
      return operation === undefined ? undefined : Promise.resolve(answer(operation, bodyOf(request)));
    },
    (request) => {
      const operation = operationOf(request);
      if (operation === undefined) return [];
      return [{ action: `sqs:${operation}`, resource: queueOf(bodyOf(request)), values: {} }];
    },
  );
}

function operationOf(request: GatewayRequest): string | undefined {
  const target = header(request, "x-amz-target") ?? "";
  return target.startsWith(prefix) ? target.slice(prefix.length) : undefined;
}

/** Makes the ARN of the queue that a request names by its URL. */
function queueOf(body: unknown): string {
  const { QueueUrl = "" } = (body ?? {}) as { QueueUrl?: unknown };
  return arn("sqs", String(QueueUrl).split("/").at(-1) ?? "");
}
