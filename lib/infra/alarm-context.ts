import * as v from "valibot";
import { json, matching, wholeWithin } from "./context-values.ts";

const TopicArn = matching(/^arn:[\w-]+:sns:/, "the ARN of an SNS topic");

/** Keys of the context that set where alarms are sent, and two of their limits. */
export const alarmContext = {
  alarmTopicArn: v.optional(TopicArn),
  ticketTopicArn: v.optional(TopicArn),
  budgetDollars: v.optional(json(wholeWithin(1, 1_000_000_000))),
  // About $20 a day at a provider's list price.
  hostUnitsPerDay: v.optional(json(wholeWithin(1, 1_000_000_000_000)), 50_000_000),
};

/** Topics of the alarms. Alarms without a topic notify nobody. */
export type AlarmTopics = {
  /** Topic of alarms that need a person at once. */
  page: string | undefined;
  /** Topic of alarms that can wait until the next working day. */
  ticket: string | undefined;
};

type Topics = { alarmTopicArn: string | undefined; ticketTopicArn: string | undefined };

/** Sends all alarms to one topic if there is no other. */
export const alarmTopicsOf = ({ alarmTopicArn, ticketTopicArn }: Topics): AlarmTopics => ({
  page: alarmTopicArn,
  ticket: ticketTopicArn ?? alarmTopicArn,
});

/** Warns of a deployment that trades without a topic for urgent alarms. */
export const alarmWarnings = ({
  alarmTopicArn,
  trading,
}: Topics & { trading: Readonly<Record<string, unknown>> }): string[] =>
  alarmTopicArn !== undefined || Object.keys(trading).length === 0
    ? []
    : [
        "Context alarmTopicArn is missing: chains trade, and no alarm wakes anybody, not even one that the signer raises",
      ];
