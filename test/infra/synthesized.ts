import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { terminalApp } from "../../lib/infra/app.ts";

export type Resource<Properties = Record<string, unknown>> = {
  Type: string;
  Properties: Properties;
  DependsOn?: string[];
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
};

export type Template = {
  Description: string;
  Resources: Record<string, Resource>;
  Outputs: Record<string, { Value: unknown }>;
};

export type Templates = { data: Template; api: Template };

/**
 * Both templates for a context, without the functions' code and without CDK's check of the templates, which take
 * seconds: synthesis.test.ts and bundles.test.ts have those.
 */
export function synthesize(context: Record<string, unknown> = {}): Templates {
  const outdir = mkdtempSync(join(tmpdir(), "templates-"));
  try {
    const app = terminalApp({
      outdir,
      builtinCloudFormationValidation: false,
      context: { "aws:cdk:bundling-stacks": [], ...context },
    });
    const assembly = app.synth();
    return {
      data: assembly.getStackByName("TerminalData").template,
      api: assembly.getStackByName("TerminalApi").template,
    };
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/** The resources of a type, by logical id. */
export function resourcesOf<Properties>(
  template: Template,
  type: string,
): Record<string, Resource<Properties>> {
  const ofType = Object.entries(template.Resources).filter(([, resource]) => resource.Type === type);
  return Object.fromEntries(ofType) as Record<string, Resource<Properties>>;
}

/** The properties of the resources of a type, without their ids. */
export function propertiesOf<Properties>(template: Template, type: string): Properties[] {
  return Object.values(resourcesOf<Properties>(template, type)).map(({ Properties }) => Properties);
}

/** The one resource of a type. */
export function only<Properties>(template: Template, type: string): Resource<Properties> & { id: string } {
  const [first, ...others] = Object.entries(resourcesOf<Properties>(template, type));
  if (first === undefined || others.length > 0) throw new Error(`${type}: ${others.length + 1} of them`);
  return { id: first[0], ...first[1] };
}

export type FunctionProperties = {
  Architectures: string[];
  Code: { S3Key: string };
  /** Absent when the row asks for nothing. */
  Environment?: { Variables: Record<string, unknown> };
  Handler: string;
  LoggingConfig: Record<string, unknown>;
  MemorySize: number;
  Role: { "Fn::GetAtt": [string, "Arn"] };
  Runtime: string;
  Timeout: number;
};

/** The logical id of a row's function. */
export function logicalIdOf(template: Template, name: string): string {
  const ids = Object.keys(resourcesOf(template, "AWS::Lambda::Function"));
  const id = ids.find((candidate) => nameOf(candidate) === name);
  if (id === undefined) throw new Error(`There is no function ${name}`);
  return id;
}

const nameOf = (logicalId: string) => logicalId.replace(/Function[0-9A-F]{8}$/, "");

/** The properties of the functions, by the name of their row. */
export function functionsOf({ api }: Templates): Record<string, FunctionProperties> {
  const functions = Object.entries(resourcesOf<FunctionProperties>(api, "AWS::Lambda::Function"));
  return Object.fromEntries(functions.map(([id, { Properties }]) => [nameOf(id), Properties]));
}
