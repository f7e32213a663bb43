import * as v from "valibot";
import { account } from "../account.ts";
import { notDeployable, type Resource } from "./resource.ts";
import type { Resources } from "./resources.ts";

const id = v.pipe(v.string(), v.regex(/^[a-z]\w*$/, "an id must begin with a small letter"));

const topic = v.pipe(
  v.string(),
  v.check(
    (arn) => !/^arn:[\w-]+:sns:/.test(arn) || arn.split(":")[3] === account.region,
    `an action must be in ${account.region}`,
  ),
);
const actions = v.optional(v.array(topic));

const metrics = v.pipe(
  v.array(
    v.object({ Id: id, Expression: v.optional(v.string()), ReturnData: v.optional(v.boolean(), true) }),
  ),
  v.maxLength(10, "an alarm has at most 10 metrics"),
  v.check(
    (all) => all.filter(({ ReturnData }) => ReturnData).length === 1,
    "exactly one metric must return data",
  ),
  v.check(
    (all) => all.every(({ Expression }) => Expression === undefined || isSound(Expression, all)),
    "an expression is malformed, searches, or names an unknown id",
  ),
);

const Alarm = v.object({
  AlarmActions: actions,
  InsufficientDataActions: actions,
  OKActions: actions,
  Metrics: v.optional(metrics),
});

const MetricFilter = v.object({
  FilterPattern: v.pipe(v.string(), v.check(isPattern, "the pattern is malformed")),
  MetricTransformations: v.array(
    v.pipe(
      v.object({
        MetricNamespace: v.pipe(v.string(), v.regex(/^(?!AWS\/)[^:*$]+$/, "the namespace is not allowed")),
        DefaultValue: v.optional(v.unknown()),
        Dimensions: v.optional(v.pipe(v.array(v.unknown()), v.maxLength(3, "at most 3 dimensions"))),
      }),
      v.check(
        ({ DefaultValue, Dimensions }) => DefaultValue === undefined || Dimensions === undefined,
        "a metric with dimensions has no default value",
      ),
    ),
  ),
});

/**
 * Checks alarms and metric filters for anything that CloudWatch refuses, although they have no effect here.
 *
 * @throws {StartupError} for a refused part; the message names the resource and the property
 */
export function checkMonitoring(resources: Resources): void {
  const check = (schema: v.GenericSchema, resource: Resource) => {
    const parsed = v.safeParse(schema, resource.properties());
    if (parsed.success) return;
    const [issue] = parsed.issues;
    throw notDeployable(resource, `${v.getDotPath(issue)}: ${issue.message}`);
  };
  for (const alarm of resources.ofType("AWS::CloudWatch::Alarm")) check(Alarm, alarm);
  for (const filter of resources.ofType("AWS::Logs::MetricFilter")) check(MetricFilter, filter);
}

/** Matches the ids in a metric expression but not its functions, which are written in capitals. */
const namedIds = /(?<!["\w])[a-z]\w*/g;

function isSound(expression: string, metrics: readonly { Id: string }[]): boolean {
  const known = new Set(metrics.map(({ Id }) => Id));
  const named = expression.replace(/"[^"]*"/g, "").match(namedIds) ?? [];
  return (
    named.every((name) => known.has(name)) && !/\bSEARCH\s*\(/.test(expression) && isBalanced(expression)
  );
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")" && --depth < 0) return false;
  }
  return depth === 0;
}

const comparison =
  /\$(?:\.[\w-]+|\[\d+\]|\["[^"]*"\])+\s*(?:(?:!=|<=|>=|=|<|>)\s*(?:"[^"]*"|%[^%]*%|[\w.*+-]+)|IS\s+(?:NULL|TRUE|FALSE)|(?:NOT\s+)?EXISTS)/g;

/** True for a pattern of JSON logs whose comparisons are joined by operators, and for all patterns of other logs. */
function isPattern(pattern: string): boolean {
  const [, inner] = /^\s*\{(.*)\}\s*$/s.exec(pattern) ?? [];
  if (inner === undefined) return !/^\s*\{/.test(pattern);
  let rest = inner.replace(comparison, "#").replace(/\s+/g, "");
  for (let before = ""; rest !== before; ) {
    before = rest;
    rest = rest.replace(/\(#\)/g, "#").replace(/#(&&|\|\|)#/g, "#");
  }
  return rest === "#";
}
