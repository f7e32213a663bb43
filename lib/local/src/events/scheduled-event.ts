import { randomUUID } from "node:crypto";
import { account } from "../account.ts";

/**
 * What EventBridge hands over when the time of a rule has come.
 * https://docs.aws.amazon.com/eventbridge/latest/ref/events-structure.html
 */
export function scheduledEvent(ruleArn: string, now: number) {
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account: account.id,
    // EventBridge knows no fractions of seconds.
    time: new Date(now).toISOString().replace(/\.\d+Z$/, "Z"),
    region: account.region,
    resources: [ruleArn],
    detail: {},
  };
}
