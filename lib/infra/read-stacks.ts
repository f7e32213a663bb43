import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CfnElement, NestedStack, type Stack } from "aws-cdk-lib";
import { terminalApp } from "./app.ts";

/** Context that skips bundling the functions' code. */
export const withoutCode = { "aws:cdk:bundling-stacks": [] };

/**
 * Options that skip CDK's check of the templates, which takes seconds, and data that is only needed to read an error, or
 * to show the tree of constructs in a console.
 */
export const quickly = {
  builtinCloudFormationValidation: false,
  stackTraces: false,
  treeMetadata: false,
  analyticsReporting: false,
};

type Template = {
  Description: string;
  Resources: Record<string, { Type: string; Properties: Record<string, unknown> }>;
  Outputs: Record<string, { Value: unknown }>;
};

type ReadStack = {
  stackName: string;
  /** Template of the stack, with those of its nested stacks merged into it. */
  template: Template;
  /** Stacks that are deployed before this one. */
  deployedAfter: string[];
  isProtected: boolean;
};

/**
 * Applies `read` to the stacks for a context, in the order of their deployment. Skips the functions' code and
 * CDK's check of the templates, which take seconds.
 */
export function readStacks<T>(
  context: Record<string, unknown>,
  read: (stacks: ReadStack[]) => T,
  region?: string,
): T {
  const outdir = mkdtempSync(join(tmpdir(), "templates-"));
  try {
    const app = terminalApp({ ...quickly, outdir, context: { ...withoutCode, ...context } }, region);
    const { stacks } = app.synth();
    return read(
      stacks.map(({ stackName, dependencies, terminationProtection = false }) => ({
        stackName,
        template: mergedTemplate(app.node.findChild(stackName) as Stack, outdir),
        deployedAfter: dependencies.map(({ id }) => id),
        isProtected: terminationProtection,
      })),
    );
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/** Reads the template of a stack, and merges those of its nested stacks into it. */
export function mergedTemplate(stack: Stack, outdir: string): Template {
  const { root, all } = readNested(stack, outdir);
  const resources = all.flatMap((place) => Object.entries(resolved(place.template.Resources, place)));
  const kept = resources.filter(([id]) => !root.nested.has(id));
  const Resources = Object.fromEntries(kept);
  if (Object.keys(Resources).length < kept.length) throw new Error("Two nested stacks share a logical id");
  return resolved({ ...root.template, Resources }, root);
}

/** A template with the values of its parameters. They are expressions in the outer template. */
type Place = {
  template: Template;
  parameters: Record<string, unknown>;
  nested: ReadonlyMap<string, Place>;
  around?: Place;
};

function readNested(stack: Stack, outdir: string) {
  const read = (file: string): Template => JSON.parse(readFileSync(join(outdir, file), "utf8"));
  const template = read(stack.templateFile);
  const root: Place = { template, parameters: {}, nested: new Map() };
  const nested = stack.node
    .findAll()
    .filter((each) => NestedStack.isNestedStack(each))
    .map((each): [string, Place] => {
      const id: string = stack.resolve((each.nestedStackResource as CfnElement).logicalId);
      const { Parameters = {} } = template.Resources[id]?.Properties ?? {};
      return [
        id,
        {
          template: read(each.templateFile),
          parameters: Parameters as Record<string, unknown>,
          nested: new Map(),
          around: root,
        },
      ];
    });
  Object.assign(root, { nested: new Map(nested) });
  return { root, all: [root, ...root.nested.values()] };
}

/** Replaces references to parameters and to outputs of nested stacks by the referenced values. */
function resolved<T>(value: T, place: Place): T;
function resolved(value: unknown, place: Place): unknown {
  if (Array.isArray(value)) return value.map((each) => resolved(each, place));
  if (typeof value !== "object" || value === null) return value;
  const { Ref, "Fn::GetAtt": attribute } = value as { Ref?: string; "Fn::GetAtt"?: [string, string] };
  if (Ref !== undefined && place.around && Ref in place.parameters)
    return resolved(place.parameters[Ref], place.around);
  // Refuses a nested stack's own id, which a merged template cannot tell from the id of the outer stack.
  if (Ref === "AWS::StackId" && place.around) throw new Error("A nested stack uses its own id");
  const inside = attribute && place.nested.get(attribute[0]);
  if (inside) return resolved(inside.template.Outputs[attribute[1].replace("Outputs.", "")]?.Value, inside);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolved(each, place)]));
}
