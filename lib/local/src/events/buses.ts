import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { account } from "../account.ts";
import type { Clock } from "../clock.ts";
import {
  notDeployable,
  notEmulated,
  type Resource,
  readProperties,
  resolved,
} from "../cloudformation/resource.ts";
import { busArn } from "../cloudformation/resource-types.ts";
import type { Resources } from "../cloudformation/resources.ts";
import { bodyOf } from "../http/json.ts";
import { type GatewayRequest, header, json } from "../http/messages.ts";
import { guarded, refusal, type ServiceRoute } from "../services.ts";
import { readPattern } from "../streams/filter-pattern.ts";
import type { Queues } from "../streams/queues.ts";

/** A rule on a bus of the stacks that hands matching events to queues. */
type BusRule = { bus: string; matches: (event: object) => boolean; queues: string[] };

const unread = v.optional(v.unknown());

const Bus = v.strictObject({ Name: v.string(), Description: unread, Tags: unread });

const Properties = v.strictObject({
  Name: unread,
  Description: unread,
  Tags: unread,
  EventBusName: v.string(),
  EventPattern: v.record(v.string(), v.unknown()),
  State: v.optional(v.literal("ENABLED")),
  Targets: v.array(v.strictObject({ Id: v.string(), Arn: v.string() })),
});

/** True for a rule on events of a bus, and not on a schedule. */
export const isOnBus = ({ property }: Resource): boolean =>
  property("EventPattern") !== undefined && property("EventBusName") !== undefined;

/**
 * Reads the rules on buses of the stacks.
 *
 * @throws {StartupError} if something is not emulated, or a queue has no policy that lets EventBridge add messages
 */
function readBusRules(resources: Resources, queues: Pick<Queues, "has">): BusRule[] {
  const buses = resources.ofType("AWS::Events::EventBus");
  const names = new Map(buses.map((bus) => [readProperties(Bus, resolved(bus)).Name, busArn(bus)]));
  return resources
    .ofType("AWS::Events::Rule")
    .filter(isOnBus)
    .map((resource) => {
      const { EventBusName, EventPattern, Targets } = readProperties(Properties, resolved(resource));
      const bus = names.get(EventBusName);
      if (bus === undefined) throw notEmulated(resource, "EventBusName: not a bus of the stacks");
      const targets = Targets.map(({ Arn }) => Arn);
      for (const [index, target] of targets.entries()) {
        if (!queues.has(target)) throw notEmulated(resource, `Targets.${index}.Arn: not a queue`);
        if (!admitsEvents(resources, target))
          throw notDeployable(resource, `no policy of ${target} lets EventBridge add messages`);
      }
      return { bus, matches: readPattern(JSON.stringify(EventPattern)), queues: targets };
    });
}

const Policy = v.object({
  PolicyDocument: v.object({
    Statement: v.array(
      v.object({ Action: v.unknown(), Effect: v.string(), Principal: v.unknown(), Resource: v.unknown() }),
    ),
  }),
});

const admitsEvents = (resources: Resources, queue: string): boolean =>
  resources
    .ofType("AWS::SQS::QueuePolicy")
    .flatMap((resource) => v.parse(Policy, resource.properties()).PolicyDocument.Statement)
    .some(
      ({ Action, Effect, Principal, Resource }) =>
        Effect === "Allow" &&
        [Action].flat().includes("sqs:SendMessage") &&
        (Principal as { Service?: unknown }).Service === "events.amazonaws.com" &&
        Resource === queue,
    );

const target = "AWSEvents.PutEvents";

const PutEvents = v.strictObject({
  Entries: v.array(
    v.strictObject({
      EventBusName: v.string(),
      Source: v.string(),
      DetailType: v.string(),
      Detail: v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown())),
    }),
  ),
});

/** Emulates EventBridge's PutEvents for buses of the stacks, whose rules hand events to queues. */
export function busService(resources: Resources, queues: Queues, clock: Clock): ServiceRoute {
  const rules = readBusRules(resources, queues);
  const known = resources.ofType("AWS::Events::EventBus").map(busArn);

  function put(request: GatewayRequest) {
    const read = v.safeParse(PutEvents, bodyOf(request));
    if (!read.success || read.output.Entries.some(({ EventBusName }) => !known.includes(EventBusName)))
      return refusal(400, "ValidationException", "Not emulated, invalid, or not a bus of the stacks");
    const Entries = read.output.Entries.map(({ EventBusName, Source, DetailType, Detail }) => {
      const event = {
        version: "0",
        id: randomUUID(),
        "detail-type": DetailType,
        source: Source,
        account: account.id,
        // EventBridge omits fractions of seconds.
        time: new Date(clock.now()).toISOString().replace(/\.\d+Z$/, "Z"),
        region: account.region,
        resources: [],
        detail: Detail,
      };
      for (const { bus, matches, queues: targets } of rules)
        if (bus === EventBusName && matches(event)) for (const queue of targets) queues.add(queue, event);
      return { EventId: event.id };
    });
    return json(200, { FailedEntryCount: 0, Entries });
  }

  return guarded(
    (request) => (header(request, "x-amz-target") === target ? Promise.resolve(put(request)) : undefined),
    (request) => {
      if (header(request, "x-amz-target") !== target) return [];
      const { Entries = [] } = (bodyOf(request) ?? {}) as { Entries?: { EventBusName?: string }[] };
      return Entries.map(({ EventBusName = "" }) => ({
        action: "events:PutEvents",
        resource: EventBusName,
        values: {},
      }));
    },
  );
}
