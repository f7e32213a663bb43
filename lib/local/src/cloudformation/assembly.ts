import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as v from "valibot";
import { StartupError } from "../startup-error.ts";

/** An output in a template, before its intrinsics are resolved. */
export type TemplateOutput = {
  Value: unknown;
  Export?: { Name: unknown } | undefined;
  Condition?: string | undefined;
};

export type Template = v.InferOutput<typeof Template>;
export type Stack = {
  name: string;
  template: Template;
  /** Finds the template of a nested stack, which a deployment would upload under this S3 key. */
  templateAt?: ((objectKey: string) => Template | undefined) | undefined;
};

/** The output of `cdk synth`: stacks and the code of their functions. */
export type Assembly = {
  stacks: Stack[];
  /** Finds the folder of the asset that a deployment would upload under this S3 key. */
  assetFolder: (objectKey: string) => string | undefined;
};

const Manifest = v.object({
  artifacts: v.record(
    v.string(),
    v.object({
      type: v.string(),
      properties: v.optional(
        v.object({
          templateFile: v.optional(v.string()),
          stackName: v.optional(v.string()),
          file: v.optional(v.string()),
        }),
      ),
    }),
  ),
});

const AssetManifest = v.object({
  files: v.optional(
    v.record(
      v.string(),
      v.object({
        source: v.object({ path: v.optional(v.string()), packaging: v.optional(v.string()) }),
        destinations: v.record(v.string(), v.object({ objectKey: v.string() })),
      }),
    ),
    {},
  ),
});

const Template = v.object({
  Parameters: v.optional(v.record(v.string(), v.object({ Default: v.optional(v.unknown()) })), {}),
  Conditions: v.optional(v.record(v.string(), v.unknown()), {}),
  Resources: v.record(
    v.string(),
    v.object({
      Type: v.string(),
      Properties: v.optional(v.record(v.string(), v.unknown())),
      Condition: v.optional(v.string()),
      DependsOn: v.optional(v.union([v.string(), v.array(v.string())])),
    }),
  ),
  Outputs: v.optional(
    v.record(
      v.string(),
      v.object({
        Value: v.unknown(),
        Export: v.optional(v.object({ Name: v.unknown() })),
        Condition: v.optional(v.string()),
      }),
    ),
    {},
  ),
});

/** @throws {StartupError} if the folder is not a cloud assembly */
export function readAssembly(folder: string): Assembly {
  const read = <Schema extends v.GenericSchema>(schema: Schema, file: string) =>
    readJson(schema, join(folder, file));
  const artifacts = Object.entries(read(Manifest, "manifest.json").artifacts);

  const assets = artifacts
    .filter(([, { type }]) => type === "cdk:asset-manifest")
    .flatMap(([id, { properties }]) =>
      Object.values(read(AssetManifest, properties?.file ?? `${id}.json`).files),
    );
  /** Lists paths of assets by S3 key. */
  const packaged = (packaging: string) =>
    new Map(
      assets
        .filter(({ source }) => source.packaging === packaging)
        .flatMap(({ source, destinations }) =>
          Object.values(destinations).map(({ objectKey }) => [objectKey, source.path ?? ""] as const),
        ),
    );
  const folders = packaged("zip");
  const files = packaged("file");
  const templateAt = (objectKey: string) => {
    const file = files.get(objectKey);
    return file === undefined ? undefined : read(Template, file);
  };

  const stacks = artifacts
    .filter(([, { type }]) => type === "aws:cloudformation:stack")
    .map(([id, { properties }]) => ({
      name: properties?.stackName ?? id,
      template: read(Template, properties?.templateFile ?? `${id}.template.json`),
      templateAt,
    }));
  if (stacks.length === 0) throw new StartupError(`There is no stack in ${folder}.`);

  return {
    stacks,
    assetFolder(objectKey) {
      const path = folders.get(objectKey);
      return path === undefined ? undefined : resolve(folder, path);
    },
  };
}

function readJson<Schema extends v.GenericSchema>(schema: Schema, path: string): v.InferOutput<Schema> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new StartupError(`Cannot read ${path}: ${(error as Error).message}`);
  }
  const parsed = v.safeParse(schema, content);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new StartupError(`${path} is invalid at ${v.getDotPath(issue)}: ${issue.message}`);
}
