import { type Access, type LeadingKeys, readPolicy } from "cdk-local-runner/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { observedLeadingKeys, wallOf } from "../e2e/stage/support/leading-keys.ts";
import { type Engine, engineStart, startTable } from "./dynamodb.ts";
import { gatedTable } from "./gated-table.ts";

let engine: Engine;

beforeAll(async () => {
  engine = await startTable();
}, engineStart);
afterAll(() => engine.stop());

const tableArn = "arn:aws:dynamodb:us-east-1:000000000000:table/walled";
const { Principal: _, ...wall } = wallOf(tableArn);
const policy = readPolicy(
  { Statement: [{ Effect: "Allow", Action: "dynamodb:*", Resource: tableArn }, wall] },
  { services: ["dynamodb"], isKnown: () => true },
);

/** Decides about requests by their keys. `removes` drops the keys first. */
const accessWith = (removes: boolean): Pick<Access, "denial"> => ({
  denial: (_, { action, resource, values = {} }) =>
    policy({ action, resource, values: removes ? {} : values }) === "Allow" ? undefined : "denied",
});

describe("observedLeadingKeys", () => {
  it.each<[LeadingKeys | "none", LeadingKeys, boolean]>([
    ["each-part", "each-part", false],
    ["whole-request", "whole-request", false],
    ["none", "each-part", true],
  ])("reports that the engine checks leading keys as %s", async (expected, leadingKeys, removes) => {
    const table = gatedTable(
      engine,
      await engine.newTable(),
      { name: "operator", access: accessWith(removes), tableArn },
      { leadingKeys, onDenial: () => {} },
    );
    expect(await observedLeadingKeys(table)).toBe(expected);
  });
});
