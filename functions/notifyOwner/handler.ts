import { SSMClient } from "@aws-sdk/client-ssm";
import type { SQSEvent } from "aws-lambda";
import { maxAttempts, timeouts } from "../../lib/aws/timeouts.ts";
import { type NotifyDeps, notifyOwners } from "../../lib/devices/notify-owner.ts";
import { postToDevice } from "../../lib/devices/post.ts";
import { readPushKey } from "../../lib/devices/push-key.ts";
import { background } from "../../lib/runtime/background.ts";
import { deviceRules } from "../../lib/runtime/device-rules.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logLostNotice, reporter } from "../../lib/runtime/log.ts";
import { remembered } from "../../lib/runtime/remembered.ts";
import { openRetryQueue } from "../../lib/runtime/retry-queue.ts";
import { openTable } from "../../lib/table/table.ts";

const rules = deviceRules();
const parameters = new SSMClient({ maxAttempts, requestHandler: timeouts });
const queue = openRetryQueue(environment("RETRY_QUEUE_URL"));

/** Milliseconds for which the key for pushes is used before it is read again. */
const freshMs = 60_000;

const deps: NotifyDeps = {
  table: openTable(environment("TABLE_NAME")),
  post: (request) => postToDevice(request, rules),
  pushKey: remembered(() => readPushKey(parameters), freshMs),
  queueRetry: (retry, seconds) => queue.send(retry, seconds),
  postpone: ({ receiptHandle }, seconds) => queue.hide(receiptHandle, seconds),
  onLost: logLostNotice,
  now: () => new Date(),
  ...reporter("notifyOwner"),
};

export const handler = background("notifyOwner", ({ Records }: SQSEvent) => notifyOwners(deps, Records));
